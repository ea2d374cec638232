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

function having(progress: Partial<WebhookProgress>, endpoint = created): EventEndpoint {
  return { ...endpoint, progress: { ...endpoint.progress!, ...progress } };
}

test("what was left out is due to be recorded after a while, or when it is much", () => {
  const lane = new CourierLane(created, holder, 0);
  expect(lane.isRecordDue(1_000_000)).toBe(false);
  lane.skip(11);
  expect(lane.isRecordDue(9_999)).toBe(false);
  expect(lane.isRecordDue(10_000)).toBe(true);
  lane.skip(5_010);
  expect(lane.isRecordDue(0)).toBe(true);
  lane.learn(having({ position: 5_010 }), 500);
  expect(lane.isRecordDue(1_000_000)).toBe(false);
});

test("a rewind moves the lane back, and an older answer does not", () => {
  const lane = new CourierLane(created, holder, 0);
  lane.skip(20);
  lane.learn(having({ position: 12 }), 1);
  expect(lane.done).toBe(20);
  const rewound = changedEndpoint(lane.endpoint, { position: 11 }, 0);
  lane.learnAsked(rewound, 0);
  expect(lane.done).toBe(20);
  lane.learnAsked(rewound, 2);
  expect(lane.done).toBe(11);
  lane.learnAsked(having({ position: 12 }), 3);
  expect(lane.endpoint).toBe(rewound);
});

test("a change of the filter drops what was left out and not recorded", () => {
  const lane = new CourierLane(having({ position: 12 }), holder, 0);
  lane.skip(20);
  lane.learnAsked(changedEndpoint(lane.endpoint, { paused: false }, 0), 1);
  expect(lane.done).toBe(20);
  const filter = { types: ["job.ended"], targetIds: null, labels: null };
  lane.learnAsked(changedEndpoint(lane.endpoint, { filter }, 0), 1);
  expect(lane.done).toBe(12);
  expect(lane.copy).toEqual({ holder, endpointId: "e", revision: 3 });
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
