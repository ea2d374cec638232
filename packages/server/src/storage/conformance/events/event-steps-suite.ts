import { expect, test } from "vitest";
import type { NextStep } from "../../../domain/retry-policy.ts";
import {
  account,
  farFuture,
  hour,
  makeTarget,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "../harness.ts";
import type { MakeLocation } from "../harness.ts";
import { createEndpoint, logOf, newEndpoint, toldAbout, typesAbout } from "./event-harness.ts";

/** Several things that happen to a message in one commit: each is told, in its order. */
export function eventStepsSuite(makeLocation: MakeLocation): void {
  const openAny = storesOf(makeLocation);

  /** With a message in flight. */
  async function open() {
    const { store, whenWaiting } = await openAny();
    const { targetKey } = await makeTarget(store, "t");
    await createEndpoint(store, newEndpoint("all"));
    const message = await schedule(store, "t", past);
    const holder = await store.join("node", "all");
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    const record = (next: NextStep) => store.recordAttempts(holder, [resultOf(claims[0]!, next)]);
    return { store, whenWaiting, message, holder, record };
  }

  const retry = { kind: "retry", delayMs: hour } as const;
  const waitMs = 30_000;

  test("an attempt fails, and a cancel that waited takes effect", async () => {
    const { store, whenWaiting, message, record } = await open();
    const cancelled = store.cancelMessage({ ...refTo(message), waitMs });
    await whenWaiting(1);
    await record(retry);
    expect(await cancelled).toMatchObject({ kind: "changed" });
    const events = await logOf(store);
    expect(typesAbout(events, message.messageId)).toEqual([
      "message.scheduled",
      "message.attempt_failed",
      "message.cancelled",
    ]);
    const [, failed, last] = events;
    expect(failed!.data).toMatchObject({
      message: { state: "SCHEDULED", deliveryFailureCount: 1 },
      attempt: { number: 1, outcome: "TIMEOUT" },
    });
    expect(last!.data).toEqual({
      message: expect.objectContaining({ state: "CANCELLED", deliveryFailureCount: 1 }),
    });
  });

  test("an attempt fails, and several changes that waited take effect one after the other", async () => {
    const { store, whenWaiting, message, record } = await open();
    const later = { ...refTo(message), deliveryTime: farFuture, waitMs };
    const changes = [store.rescheduleMessage(later)];
    await whenWaiting(1);
    changes.push(store.cancelMessage({ ...refTo(message), waitMs }));
    await whenWaiting(2);
    changes.push(store.cancelMessage({ ...refTo(message), waitMs }));
    await whenWaiting(3);
    await record(retry);
    const kinds = (await Promise.all(changes)).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(["changed", "changed", "refused"].toSorted());
    expect(await toldAbout(store, message.messageId)).toEqual([
      "message.scheduled",
      "message.attempt_failed",
      "message.rescheduled",
      "message.cancelled",
    ]);
  });

  test("an attempt delivers, and a change that waited is refused", async () => {
    const { store, whenWaiting, message, record } = await open();
    const cancelled = store.cancelMessage({ ...refTo(message), waitMs });
    await whenWaiting(1);
    await record({ kind: "delivered" });
    await cancelled;
    expect(await toldAbout(store, message.messageId)).toEqual([
      "message.scheduled",
      "message.delivered",
    ]);
  });

  test("a claim is given back without an attempt, and a change that waited takes effect", async () => {
    const { store, whenWaiting, message, holder } = await open();
    const cancelled = store.cancelMessage({ ...refTo(message), waitMs });
    await whenWaiting(1);
    await store.releaseClaims(holder, [message.messageId]);
    expect(await cancelled).toMatchObject({ kind: "changed" });
    expect(await toldAbout(store, message.messageId)).toEqual([
      "message.scheduled",
      "message.cancelled",
    ]);
    await store.releaseClaims(holder, [message.messageId]);
    expect(await logOf(store, account)).toHaveLength(2);
  });
}
