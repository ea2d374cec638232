import { expect, test } from "vitest";
import { changedEndpoint, createdEndpoint } from "../../../domain/events/event-endpoint.ts";
import type { EventEndpoint, WebhookProgress } from "../../../domain/events/event-endpoint.ts";
import { CourierLane } from "./courier-lane.ts";

const created = createdEndpoint(
  {
    ...{ accountId: "acc", endpointId: "e", kind: "webhook", maxBatch: 1 },
    filter: { types: null, targetIds: null, labels: null },
    ...{ sealedSettings: "settings", sealedSecrets: "secrets" },
  },
  10,
  0,
);
const holder = { nodeId: "n", epoch: 1 };
const at = (position: number, mark: string | null = null) => ({ position, mark });
const span = (last: number, look: number) => ({ removedUpTo: 0, last, look });

function having(progress: Partial<WebhookProgress>, endpoint = created): EventEndpoint {
  return { ...endpoint, progress: { ...endpoint.progress!, ...progress } };
}

test("what was left out is due to be recorded after a while, or when it is much", () => {
  const lane = new CourierLane(created, holder, 0);
  expect(lane.isRecordDue(1_000_000)).toBe(false);
  lane.reach(at(11), 1);
  expect(lane.isRecordDue(9_999)).toBe(false);
  expect(lane.isRecordDue(10_000)).toBe(true);
  lane.reach(at(5_010), 1);
  expect(lane.isRecordDue(0)).toBe(true);
  lane.learn(having({ position: 5_010 }), 500);
  expect(lane.isRecordDue(1_000_000)).toBe(false);
});

test("a rewind moves the lane back, and an older answer does not", () => {
  const lane = new CourierLane(created, holder, 0);
  lane.reach(at(20), 1);
  lane.learn(having({ position: 12 }), 1);
  expect(lane.place.position).toBe(20);
  const rewound = changedEndpoint(lane.endpoint, { position: 11 }, 0);
  lane.learnAsked(rewound, 0);
  expect(lane.place.position).toBe(20);
  lane.learnAsked(rewound, 2);
  expect(lane.place.position).toBe(11);
  lane.learnAsked(having({ position: 12 }), 3);
  expect(lane.endpoint).toBe(rewound);
});

test("a change of the filter drops what was left out and not recorded", () => {
  const lane = new CourierLane(having({ position: 12 }), holder, 0);
  lane.reach(at(20), 1);
  lane.learnAsked(changedEndpoint(lane.endpoint, { paused: false }, 0), 1);
  expect(lane.place.position).toBe(20);
  const filter = { types: ["job.ended"], targetIds: null, labels: null };
  lane.learnAsked(changedEndpoint(lane.endpoint, { filter }, 0), 1);
  expect(lane.place.position).toBe(12);
  expect(lane.copy).toEqual({ holder, endpointId: "e", revision: 3, updateTime: 0 });
});

test("the lane waits for its retry, after trouble for a pause, and for a caller without end", () => {
  const lane = new CourierLane(created, holder, 0);
  expect(lane.waitMs(100, 0)).toBe(0);
  expect(lane.failed(50)).toBe(1);
  expect(lane.waitMs(100, 50)).toBe(100);
  expect(lane.failed(50)).toBe(2);
  expect(lane.waitMs(100, 50)).toBe(200);
  lane.learn(having({ retryTime: 1_100 }), 0);
  expect(lane.waitMs(100, 50)).toBe(1_000);
  expect(lane.waitMs(1_100, 1_000)).toBe(0);
  lane.learn({ ...created, disabledTime: 5 }, 0);
  expect(lane.waitMs(100, 1_000)).toBe(Infinity);
});

test("settings and secrets are opened once for each change of them", () => {
  const lane = new CourierLane(created, holder, 0);
  let opened = 0;
  const open = () => {
    opened++;
    const secrets = { current: "", previous: null, previousUntil: null };
    return { settings: { url: "", headers: {} }, secrets };
  };
  expect(lane.open(open)).toBe(lane.open(open));
  lane.learn(having({ position: 11 }), 0);
  lane.open(open);
  expect(opened).toBe(1);
  for (const change of [{ sealedSettings: "others" }, { sealedSecrets: "others" }]) {
    lane.learn({ ...created, ...change }, 0);
    expect(lane.open(open)).toBe(lane.open(open));
  }
  expect(opened).toBe(3);
});

test("a retry waits as long as its request asked, whatever the clock of the store does", () => {
  const lane = new CourierLane(created, holder, 0);
  lane.learn(having({ retryTime: 60_100, failures: 1 }), 0);
  lane.rest(60_000, 500);
  // The store was asked at 100 by its clock, and has set it since.
  for (const now of [100, 600_100, -600_000]) {
    expect(lane.waitMs(now, 500)).toBe(60_000);
    expect(lane.waitMs(now, 60_500)).toBe(0);
  }
  // Another node has recorded the next one.
  lane.learnAsked(having({ retryTime: 90_000, failures: 2 }), 1);
  expect(lane.waitMs(80_000, 500)).toBe(10_000);
  lane.learnAsked(having({ retryTime: null, failures: 2 }), 2);
  expect(lane.waitMs(80_000, 500)).toBe(0);
});

test("a store that knows less than before was set back, and the lane with it", () => {
  const lane = new CourierLane(created, holder, 0);
  lane.learn(having({ position: 15 }), 1);
  lane.reach(at(17, "m"), 1);
  lane.learnAsked(having({ position: 15 }), 2);
  expect(lane.place).toEqual(at(17, "m"));
  lane.learnAsked(having({ position: 12 }), 3);
  expect(lane.place).toEqual(at(12));
});

test("another change of the same number is of a store that was set back, and the lane goes back with it", () => {
  const filtered = (type: string, now: number): EventEndpoint =>
    changedEndpoint(created, { filter: { ...created.filter, types: [type] } }, now);
  const [lost, another] = [filtered("job.ended", 5), filtered("job.started", 6)];
  const lane = new CourierLane(lost, holder, 0);
  lane.reach(at(17, "m"), 1);
  lane.learnAsked(lost, 1);
  expect(lane.place).toEqual(at(17, "m"));
  lane.learnAsked(another, 2);
  expect(lane.place).toEqual(at(10));
  expect(lane.endpoint).toBe(another);
  expect(lane.copy).toMatchObject({ revision: 2, updateTime: 6 });
});

test("a log that ends before the lane's place is looked at, if that was seen after the place", () => {
  const lane = new CourierLane(having({ position: 12 }), holder, 0);
  expect(lane.hasMore(undefined)).toBe(false);
  // What stands there is not known yet.
  expect(lane.hasMore(span(12, 1))).toBe(true);
  lane.reach(at(12, "m"), 2);
  expect(lane.hasMore(span(12, 3))).toBe(false);
  expect(lane.hasMore(span(13, 1))).toBe(true);
  expect(lane.hasMore(span(11, 1))).toBe(false);
  expect(lane.hasMore(span(11, 3))).toBe(true);
  expect(lane.hasMore({ removedUpTo: 13, last: 13, look: 3 })).toBe(false);
});
