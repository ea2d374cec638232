import { expect, test } from "vitest";
import type { EventAttempt, EventFacts, EventMessage } from "../../domain/events/event.ts";
import { createEventSeeds } from "../../platform/event-ids.ts";
import { systemRandom } from "../../platform/random.ts";
import {
  GrowingBundle,
  eventsWithin,
  lastBefore,
  longBundle,
  markWithin,
  mostInBundle,
  oldEventsOf,
} from "./bundles.ts";
import type { EventBundle } from "./bundles.ts";

const noon = Date.UTC(2026, 0, 1, 12);
const nextSeed = createEventSeeds(systemRandom);
const everything = { after: 0, upTo: Infinity };

const scheduled: EventMessage = {
  messageId: "msg_1",
  targetId: "orders",
  schedulingTime: noon,
  originalDeliveryTime: noon + 5_000,
  state: "SCHEDULED",
  deliveryFailureCount: 0,
  nextDeliveryTime: noon + 5_000,
  lastDeliveryTime: null,
  deadLetterTime: null,
  cancellationTime: null,
  expirationTime: null,
  endReason: null,
  options: null,
};
const dead: EventMessage = {
  ...scheduled,
  state: "DEAD_LETTER",
  deliveryFailureCount: 3,
  nextDeliveryTime: null,
  lastDeliveryTime: noon + 6_000,
  deadLetterTime: noon + 7_000,
  expirationTime: noon + 9_000,
  endReason: "ATTEMPTS_EXHAUSTED",
  options: { key: 'a\n"k"', labels: { "🙂": "\0" }, headerNames: ["x-one"] },
};
const failed: EventAttempt = {
  number: 3,
  startTime: noon + 6_000,
  endTime: noon + 6_500,
  outcome: "BAD_STATUS",
  statusCode: 503,
  error: "it answered 503\nagain",
};
const delivered: EventAttempt = { ...failed, outcome: "DELIVERED", statusCode: 200, error: null };

const ofMessage = (
  type: EventFacts["type"],
  message: EventMessage,
  attempt?: EventAttempt,
  time = noon,
): EventFacts => ({
  ...{ type, time, targetId: message.targetId },
  data: { message, ...(attempt !== undefined && { attempt }) },
});

const at = (time: number): EventFacts => ofMessage("message.scheduled", scheduled, undefined, time);

function bundleOf(facts: readonly EventFacts[], position = 1): EventBundle {
  const bundle = new GrowingBundle({ position, logTime: facts[0]!.time });
  for (const each of facts) bundle.add(each);
  return bundle.finished(nextSeed());
}

test("an event reads back as it was written, whatever it tells", () => {
  const cancelled: EventMessage = {
    ...scheduled,
    ...{ state: "CANCELLED", nextDeliveryTime: null, cancellationTime: noon - 1 },
  };
  const facts: EventFacts[] = [
    ofMessage("message.scheduled", scheduled),
    ofMessage("message.scheduled", { ...scheduled, options: { key: "k" } }),
    ofMessage("message.attempt_failed", dead, failed, noon + 7_000),
    ofMessage("message.attempt_failed", dead, { ...failed, statusCode: null, error: null }),
    ofMessage("message.dead_lettered", { ...dead, options: null }, failed, noon + 7_000),
    ofMessage("message.dead_lettered", { ...dead, endReason: null }),
    ofMessage("message.delivered", { ...dead, state: "DELIVERED", endReason: null }, delivered),
    ofMessage("message.cancelled", cancelled),
    ofMessage("message.replaced", { ...cancelled, endReason: "REPLACED" }),
    {
      ...{ type: "endpoint.disabled", time: noon + 1, targetId: null },
      data: { endpoint: { endpointId: "e", statusCode: null } },
    },
    {
      ...{ type: "job.started", time: noon - 1, targetId: "t" },
      data: {},
    },
  ];
  const read = eventsWithin("acc_one", bundleOf(facts, 7), everything);
  const told = read.map(({ type, time, targetId, data }) => ({ type, time, targetId, data }));
  expect(told).toStrictEqual(facts);
  expect(read.map(({ position }) => position)).toEqual(facts.map((_, index) => 7 + index));
});

test("ids differ within a bundle and between bundles, and stay", () => {
  const facts = Array.from({ length: mostInBundle }, () => at(noon));
  const bundles = [bundleOf(facts), bundleOf(facts)];
  const idsOf = () =>
    bundles.flatMap((bundle) =>
      eventsWithin("acc_one", bundle, everything).map(({ eventId }) => eventId),
    );
  expect(new Set(idsOf()).size).toBe(2 * mostInBundle);
  expect(idsOf()).toEqual(idsOf());
  for (const id of idsOf()) expect(id).toMatch(/^evt_[0-9a-z]{26}$/);
});

test("a bundle with long events takes fewer, so that no row grows with what callers write", () => {
  const long = { ...dead, options: { headerNames: ["x".repeat(5_000)] } };
  const event = ofMessage("message.scheduled", long);
  const bundle = new GrowingBundle({ position: 1, logTime: noon });
  let count = 0;
  for (; !bundle.isFull; count++) bundle.add(event);
  expect(count).toBe(Math.ceil(longBundle / 5_000));
  const { events, lastPosition } = bundle.finished(nextSeed());
  expect(events.length).toBeLessThan(longBundle + 6_000);
  expect(lastPosition).toBe(count);
});

test("a plain event takes a fifth of its JSON at most", () => {
  const facts = Array.from({ length: mostInBundle }, () => at(noon));
  const { events } = bundleOf(facts);
  expect(events.length).toBeLessThan(JSON.stringify(facts).length / 5);
});

test("a time that falls within a bundle is found there, also when times go back", () => {
  const bundle = bundleOf([at(noon), at(noon + 10), at(noon + 5), at(noon + 10), at(noon + 20)], 4);
  expect(lastBefore(bundle, noon + 1)).toBe(4);
  expect(lastBefore(bundle, noon + 10)).toBe(4);
  expect(lastBefore(bundle, noon + 11)).toBe(7);
  expect(lastBefore(bundle, noon + 99)).toBe(8);
});

test("old events are found across bundles, up to the limit and the time", () => {
  const bundles = [bundleOf([at(noon), at(noon)], 1), bundleOf([at(noon), at(noon + 9)], 3)];
  const old = (removedUpTo: number, limit: number, until: number) =>
    oldEventsOf(bundles, removedUpTo, { limit, until, excessUpTo: 0 });
  const markAt = (position: number) => markWithin(bundles[position < 3 ? 0 : 1]!, position);
  expect(old(0, 9, noon - 1)).toEqual({ upTo: 0, mark: null, nextTime: noon });
  expect(old(0, 1, noon)).toEqual({ upTo: 1, mark: markAt(1), nextTime: noon });
  expect(old(0, 2, noon)).toEqual({ upTo: 2, mark: markAt(2), nextTime: noon });
  expect(old(1, 9, noon)).toEqual({ upTo: 3, mark: markAt(3), nextTime: noon + 9 });
  expect(old(0, 4, noon + 9)).toEqual({ upTo: 4, mark: markAt(4), nextTime: null });
  const excess = { until: noon, excessUpTo: 4 };
  expect(oldEventsOf(bundles, 1, { ...excess, limit: 9 }).upTo).toBe(4);
  expect(oldEventsOf(bundles, 1, { ...excess, limit: 2 }).upTo).toBe(3);
  const none = { upTo: 4, mark: null, nextTime: null };
  expect(oldEventsOf([], 4, { limit: 9, until: noon, excessUpTo: 9 })).toEqual(none);
});
