import { expect, test } from "vitest";
import type { ConflictMode } from "../../../domain/message-key.ts";
import type { Store } from "../../store.ts";
import {
  account,
  exhausted,
  farFuture,
  hour,
  past,
  refTo,
  resultOf,
  schedule,
} from "../harness.ts";
import { minute } from "../schedules/schedule-harness.ts";
import type { MakeClockedLocation } from "../schedules/schedule-harness.ts";
import { eventWorldsOf, logOf, toldAbout, typesAbout } from "./event-harness.ts";

function keyed(store: Store, onConflict: ConflictMode, payload: string) {
  return schedule(store, "t", onConflict === "debounce" ? { delayMs: hour } : farFuture, {
    payload,
    options: { key: "k" },
    wantedKey: { key: "k", onConflict, maxWaitMs: onConflict === "debounce" ? 9 * hour : null },
  });
}

/** What is told about messages, each time in the order in which it happened. */
export function eventMessagesSuite(makeLocation: MakeClockedLocation): void {
  const open = eventWorldsOf(makeLocation);

  test("a message is scheduled, rescheduled and cancelled, and each event says how it was then", async () => {
    const { store, now } = await open();
    const message = await schedule(store, "t", farFuture, { options: { labels: { a: "b" } } });
    await store.rescheduleMessage({ ...refTo(message), deliveryTime: farFuture + 5, waitMs: 0 });
    await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    await store.rescheduleMessage({ ...refTo(message), deliveryTime: farFuture + 9, waitMs: 0 });
    const { messageId } = message;
    const events = await logOf(store);
    expect(typesAbout(events, messageId)).toEqual([
      "message.scheduled",
      "message.rescheduled",
      "message.cancelled",
      "message.rescheduled",
    ]);
    expect(events.map(({ data }) => data.message)).toMatchObject([
      { state: "SCHEDULED", nextDeliveryTime: farFuture, options: { labels: { a: "b" } } },
      { state: "SCHEDULED", nextDeliveryTime: farFuture + 5 },
      { state: "CANCELLED", nextDeliveryTime: null, cancellationTime: now },
      { state: "SCHEDULED", nextDeliveryTime: farFuture + 9, cancellationTime: null },
    ]);
    for (const event of events) {
      expect(event).toMatchObject({ accountId: account, targetId: "t", time: now });
      expect(Object.keys(event.data)).toEqual(["message"]);
      expect(event.data.message).toMatchObject({ messageId, targetId: "t", schedulingTime: now });
    }
    expect(await store.getMessage(refTo(message))).toMatchObject(events.at(-1)!.data.message!);
  });

  test("an attempt fails, and the next one delivers", async () => {
    const world = await open();
    const { store, holder } = world;
    const { messageId } = await schedule(store, "t", past);
    const [first] = await world.claim();
    await store.recordAttempts(holder, [resultOf(first!, { kind: "retry", delayMs: minute })]);
    await world.pass(minute);
    const [second] = await world.claim();
    await store.recordAttempts(holder, [resultOf(second!, { kind: "delivered" })]);
    const events = await logOf(store);
    expect(typesAbout(events, messageId)).toEqual([
      "message.scheduled",
      "message.attempt_failed",
      "message.delivered",
    ]);
    const [, failed, delivered] = events;
    expect(failed).toMatchObject({
      time: world.now - minute,
      data: {
        message: { state: "SCHEDULED", deliveryFailureCount: 1, nextDeliveryTime: world.now },
        attempt: { number: 1, outcome: "TIMEOUT", error: "it went wrong" },
      },
    });
    expect(delivered).toMatchObject({
      time: world.now,
      data: {
        message: { state: "DELIVERED", deliveryFailureCount: 1, nextDeliveryTime: null },
        attempt: { number: 2, outcome: "DELIVERED", statusCode: 204, error: null },
      },
    });
  });

  test("the last attempt fails and makes a dead letter; a reschedule calls it back", async () => {
    const world = await open();
    const { store, holder } = world;
    const message = await schedule(store, "t", past);
    const [claim] = await world.claim();
    await store.recordAttempts(holder, [resultOf(claim!, exhausted)]);
    await store.rescheduleMessage({ ...refTo(message), deliveryTime: farFuture, waitMs: 0 });
    const events = await logOf(store);
    expect(typesAbout(events, message.messageId)).toEqual([
      "message.scheduled",
      "message.attempt_failed",
      "message.dead_lettered",
      "message.rescheduled",
    ]);
    const dead = { state: "DEAD_LETTER", endReason: "ATTEMPTS_EXHAUSTED" };
    expect(events.slice(1, 3).map(({ data }) => data)).toMatchObject([
      { message: dead, attempt: { number: 1 } },
      { message: dead, attempt: { number: 1 } },
    ]);
  });

  test("a message whose bound has come is a dead letter without an attempt", async () => {
    const world = await open();
    const { store } = world;
    const options = { notAfter: world.now + minute };
    const { messageId } = await schedule(store, "t", world.now, { options });
    await world.pass(2 * minute);
    expect(await store.endOutrun(10)).toMatchObject({ ended: 1 });
    const events = await logOf(store);
    expect(typesAbout(events, messageId)).toEqual(["message.scheduled", "message.dead_lettered"]);
    expect(events.at(-1)!.data).toEqual({
      message: expect.objectContaining({ state: "DEAD_LETTER", endReason: "NOT_AFTER" }),
    });
  });

  test("content that is replaced in place is one event", async () => {
    const { store } = await open();
    const { messageId } = await keyed(store, "debounce", "first");
    await keyed(store, "debounce", "second");
    await keyed(store, "replaceKeepTime", "third");
    expect(await toldAbout(store, messageId)).toEqual([
      "message.scheduled",
      "message.replaced",
      "message.replaced",
    ]);
  });

  test("a message that another one replaces is told with the other", async () => {
    const world = await open();
    const { store, holder } = world;
    const options = { key: "k" };
    const first = await schedule(store, "t", past, {
      ...{ options, wantedKey: { key: "k", onConflict: "replace", maxWaitMs: null } },
    });
    const [claim] = await world.claim();
    await store.recordAttempts(holder, [resultOf(claim!, { kind: "retry", delayMs: hour })]);
    // After an attempt the holder of the key is not changed any more, so another takes its place.
    const second = await keyed(store, "replace", "second");
    const events = await logOf(store);
    expect(second.messageId).not.toBe(first.messageId);
    expect(typesAbout(events, first.messageId)).toEqual([
      "message.scheduled",
      "message.attempt_failed",
      "message.replaced",
    ]);
    expect(typesAbout(events, second.messageId)).toEqual(["message.scheduled"]);
    const ended = events.find(({ type }) => type === "message.replaced")!;
    expect(ended.data.message).toMatchObject({ state: "CANCELLED", endReason: "REPLACED" });
  });

  test("what changes nothing is not told: repeats, refusals, stale results", async () => {
    const world = await open();
    const { store, holder } = world;
    const request = { idempotency: { key: "i", fingerprint: "f" } };
    const message = await schedule(store, "t", past, request);
    expect(await schedule(store, "t", past, request)).toEqual(message);
    await keyed(store, "keep", "first");
    await keyed(store, "reject", "second").catch(() => {});
    await keyed(store, "keep", "third").catch(() => {});
    const missing = { accountId: account, messageId: "msg_0000000000e008000000000000" };
    await store.cancelMessage({ ...missing, waitMs: 0 });
    const before = (await logOf(store)).length;
    const [claim] = await world.claim();
    const result = resultOf(claim!, { kind: "delivered" });
    const [stale] = await store.recordAttempts(holder, [{ ...result, version: 99 }]);
    expect(stale).toEqual({ kind: "stale" });
    await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    expect(await logOf(store)).toHaveLength(before);
    expect(before).toBe(2);
    await store.recordAttempts(holder, [result]);
    expect(await store.recordAttempts(holder, [result])).toEqual([{ kind: "stale" }]);
    await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    expect(await toldAbout(store, message.messageId)).toEqual([
      "message.scheduled",
      "message.delivered",
    ]);
  });

  test("messages that share a call are each told", async () => {
    const { store } = await open();
    const request = { accountId: account, targetId: "t", payload: "", idempotency: null };
    const requests = Array.from({ length: 30 }, (_, index) => ({
      ...{ ...request, deliveryTime: farFuture + index },
      options: index % 3 === 0 ? { labels: { n: String(index) } } : null,
    }));
    const results = await store.scheduleMessages(requests);
    const ids = results.map((result) =>
      result.kind === "scheduled" ? result.message.messageId : "",
    );
    const events = await logOf(store);
    expect(events.map(({ data }) => data.message!.messageId).toSorted()).toEqual(ids.toSorted());
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["message.scheduled"]));
  });

  test("no event has a payload, an answer, a header's value or a secret", async () => {
    const world = await open();
    const { store, holder } = world;
    const headers = { names: ["x-key"], sealed: "SEALED-HEADERS" };
    const { messageId } = await schedule(store, "t", past, {
      ...{ payload: "THE-PAYLOAD", options: { headers } },
    });
    for (const next of [{ kind: "retry", delayMs: 0 }, { kind: "delivered" }] as const) {
      const [claim] = await world.claim();
      const result = resultOf(claim!, next);
      const attempt = { ...result.attempt, response: "THE-ANSWER" };
      await store.recordAttempts(holder, [{ ...result, attempt }]);
    }
    const events = (await logOf(store)).filter(({ data }) => data.message?.messageId === messageId);
    expect(events).toHaveLength(3);
    for (const event of events) {
      expect(event.data.message!.options).toEqual({ headerNames: ["x-key"] });
      expect(JSON.stringify(event)).not.toMatch(/SEALED-HEADERS|THE-PAYLOAD|THE-ANSWER/);
    }
  });
}
