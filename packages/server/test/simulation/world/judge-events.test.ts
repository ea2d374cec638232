import { expect, test } from "vitest";
import type { EventType } from "../../../src/domain/events/event-types.ts";
import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import {
  createEndpoint,
  newEndpoint,
} from "../../../src/storage/conformance/events/event-harness.ts";
import {
  account,
  exhausted,
  farFuture,
  makeTarget,
  past,
  refTo,
  resultOf,
  schedule,
} from "../../../src/storage/conformance/harness.ts";
import type { Snapshot } from "../model-store/snapshot.ts";
import { simulatedDatabase } from "../model-store/support/simulated-database.ts";
import { judgeEvents } from "./judge-events.ts";

/** A database in which one message was delivered, one became a dead letter, and one was moved and cancelled. */
async function played(): Promise<Snapshot> {
  const { place, open, settle } = simulatedDatabase();
  const store = open("node");
  await settle(store.ensureAccount(account, "One"));
  const { targetKey } = await settle(makeTarget(store, "t"));
  await settle(createEndpoint(store, newEndpoint("all")));
  const holder = await settle(store.join("node", "all"));
  for (const next of [{ kind: "delivered" }, exhausted] as const) {
    await settle(schedule(store, "t", past));
    const { claims } = await settle(store.claimDue(holder, [{ targetKey, limit: 1 }]));
    await settle(store.recordAttempts(holder, [resultOf(claims[0]!, next)]));
  }
  const message = await settle(schedule(store, "t", farFuture));
  const moved = { ...refTo(message), deliveryTime: farFuture + 1, waitMs: 0 };
  await settle(store.rescheduleMessage(moved));
  await settle(store.cancelMessage({ ...refTo(message), waitMs: 0 }));
  return place.snapshot();
}

function judgeWith(
  snapshot: Snapshot,
  change: (log: readonly LoggedEvent[]) => readonly LoggedEvent[],
): string {
  const log = change(snapshot.events.get(account)!);
  const dense = log.map((event, index) => ({ ...event, position: index + 1 }));
  return judgeEvents({ ...snapshot, events: new Map([[account, dense]]) }).join("\n");
}

const types: readonly EventType[] = [
  ...(["message.scheduled", "message.delivered", "message.attempt_failed"] as const),
  ...(["message.rescheduled", "message.cancelled", "message.dead_lettered"] as const),
];

test("a log that tells each change is right", async () => {
  expect(judgeEvents(await played())).toEqual([]);
});

test.each(types)("a log without one %s is wrong, and so is one that has it twice", async (type) => {
  const snapshot = await played();
  const indexOf = (log: readonly LoggedEvent[]): number =>
    log.findLastIndex((event) => event.type === type);
  const without = (log: readonly LoggedEvent[]) => log.toSpliced(indexOf(log), 1);
  expect(judgeWith(snapshot, without)).toContain("events of msg_");
  const twice = (log: readonly LoggedEvent[]) =>
    log.toSpliced(indexOf(log), 0, { ...log[indexOf(log)]!, eventId: "evt_another" });
  expect(judgeWith(snapshot, twice)).toContain("events of msg_");
});

test("an event of no message, gaps, repeats and another order are wrong", async () => {
  const snapshot = await played();
  const invented = (log: readonly LoggedEvent[]) => {
    const [first] = log;
    const message = { ...first!.data.message!, messageId: "msg_nobody" };
    return [...log, { ...first!, eventId: "evt_new", data: { message } }];
  };
  expect(judgeWith(snapshot, invented)).toMatch(/msg_nobody: it is gone/);
  const swapped = (log: readonly LoggedEvent[]) => log.toReversed();
  expect(judgeWith(snapshot, swapped)).toMatch(/it begins with message\.(delivered|cancelled)/);
  const log = snapshot.events.get(account)!;
  const events = new Map([[account, log.toSpliced(1, 1)]]);
  expect(judgeEvents({ ...snapshot, events }).join("\n")).toMatch(/the positions have gaps/);
  const again = (some: readonly LoggedEvent[]) => [...some, some[0]!];
  expect(judgeWith(snapshot, again)).toMatch(/an event is there twice/);
});
