import { expect, test } from "vitest";
import type { MessageOptions } from "../../domain/message-options.ts";
import type { Message } from "../../domain/message.ts";
import type { Claim, Holder, ScheduleRequest, Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  exhausted,
  farFuture,
  hour,
  limitMessages,
  makeTarget,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";

const everyOption: MessageOptions = {
  labels: { order: "4711", region: "eu:west" },
  retryPolicy: {
    maxAttempts: 2,
    backoff: { kind: "list", delaysMs: [5], jitter: 0 },
    finalStatuses: [400],
    maxRetryAfterMs: 1,
  },
  notAfterMs: hour,
  flexWindowMs: 60_000,
  contentType: "application/json",
  timeoutMs: 1_000,
  headers: { names: ["x-one"], sealed: "sealed 'value' \u{1f600}" },
};

const longWaitMs = 60_000;

interface Held {
  readonly holder: Holder;
  readonly claim: Claim;
}

async function claimOne(store: Store, targetKey: number): Promise<Held> {
  const holder = await store.join("node", "all");
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
  return { holder, claim: claims[0]! };
}

/** The store's clock, read by scheduling a message: `store.clock` may be an estimate. */
async function storeTime(store: Store): Promise<number> {
  return (await schedule(store, "t", farFuture)).schedulingTime;
}

async function storeClockReaches(store: Store, time: number): Promise<void> {
  while ((await storeTime(store)) < time);
}

/** A message that is due, and may be attempted for a moment only. */
async function briefMessage(store: Store, notAfterMs: number): Promise<Message> {
  return schedule(store, "t", { delayMs: 0 }, { options: { notAfterMs } });
}

export function optionsSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("options are kept, and read back by every call that shows a message", async () => {
    const { store, reopen } = await open();
    await makeTarget(store, "t");
    const message = await schedule(store, "t", farFuture, { options: everyOption });
    expect(message.options).toEqual({ ...everyOption, notAfter: farFuture + hour });
    expect((await schedule(store, "t", farFuture + hour)).options).toBeNull();
    expect(await store.getMessage(refTo(message))).toEqual(message);
    const range = { minTime: null, maxTime: null, after: null, limit: 9 };
    const listed = await store.listScheduledMessages({
      accountId: account,
      targetId: "t",
      ...range,
    });
    expect(listed[0]).toEqual(message);
    const again = await reopen();
    expect(await again.getMessage(refTo(message))).toEqual(message);
  });

  test("a claim brings the options along, and null for a plain message", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const { notAfterMs: _, flexWindowMs: __, ...options } = everyOption;
    const first = await schedule(store, "t", past, { options });
    const second = await schedule(store, "t", past + 1);
    const holder = await store.join("node", "all");
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 9 }]);
    expect(claims.map((claim) => [claim.messageId, claim.options])).toEqual([
      [first.messageId, options],
      [second.messageId, null],
    ]);
  });

  test("messages with a window are spread over it, each always at the same place", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const options = { flexWindowMs: 1_000 };
    const request: ScheduleRequest = {
      ...{ accountId: account, targetId: "t", deliveryTime: farFuture, payload: "" },
      ...{ options, idempotency: null },
    };
    const results = await store.scheduleMessages(Array.from({ length: 50 }, () => request));
    const messages = results.map((result) => (result as { readonly message: Message }).message);
    const places = messages.map(({ nextDeliveryTime }) => nextDeliveryTime! - farFuture);
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...places)).toBeLessThanOrEqual(1_000);
    expect(new Set(places).size).toBeGreaterThan(25);
    expect(messages.map(({ originalDeliveryTime }) => originalDeliveryTime)).toEqual(
      messages.map(() => farFuture),
    );
    const [message] = messages as [Message];
    expect(await store.getMessage(refTo(message))).toEqual(message);
    const moved = await store.rescheduleMessage({
      ...refTo(message),
      deliveryTime: farFuture + hour,
      waitMs: 0,
    });
    expect(moved).toMatchObject({
      kind: "changed",
      message: { nextDeliveryTime: message.nextDeliveryTime! + hour },
    });
  });

  test("a repeat with the same key gets the first answer with its options", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const change = { options: everyOption, idempotency: { key: "k", fingerprint: "f" } };
    const first = await schedule(store, "t", { delayMs: hour }, change);
    expect(first.options?.notAfter).toBe(first.originalDeliveryTime + hour);
    expect(await schedule(store, "t", { delayMs: hour }, change)).toEqual(first);
  });

  test("a bound that is over, or not after the delivery time, is refused and frees the key", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const plain = { accountId: account, targetId: "t", payload: "" };
    const idempotency = { key: "k", fingerprint: "f" };
    const results = await store.scheduleMessages([
      { ...plain, deliveryTime: past, options: { notAfter: past + 1 }, idempotency },
      { ...plain, deliveryTime: farFuture, options: { notAfter: farFuture }, idempotency: null },
      { ...plain, deliveryTime: { delayMs: 0 }, options: { notAfterMs: hour }, idempotency: null },
      { ...plain, deliveryTime: past, options: { notAfterMs: 1 }, idempotency: null },
    ]);
    expect(results.map(({ kind }) => kind)).toEqual([
      "too-late",
      "too-late",
      "scheduled",
      "too-late",
    ]);
    const used = await schedule(store, "t", farFuture, { idempotency });
    expect(used.state).toBe("SCHEDULED");
  });

  test("the same holds where the monthly limit is near, and costs nothing of it", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    await limitMessages(store, account, 2);
    const plain = { accountId: account, targetId: "t", payload: "", idempotency: null };
    const results = await store.scheduleMessages([
      { ...plain, deliveryTime: past, options: { notAfter: past + 1 } },
      { ...plain, deliveryTime: farFuture, options: everyOption },
      { ...plain, deliveryTime: farFuture, options: null },
      { ...plain, deliveryTime: farFuture, options: everyOption },
    ]);
    expect(results.map(({ kind }) => kind)).toEqual([
      "too-late",
      "scheduled",
      "scheduled",
      "over-quota",
    ]);
    for (const result of results.slice(1, 3)) {
      const { message } = result as { readonly message: Message };
      expect(await store.getMessage(refTo(message))).toEqual(message);
    }
  });

  test("after its bound a message is not claimed, and ends as a dead letter", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const brief = await briefMessage(store, 20);
    const later = await schedule(store, "t", farFuture, { options: { notAfterMs: hour } });
    const bound = brief.options!.notAfter!;
    const before = await store.endOutrun(9);
    if (before.ended === 0) expect(before.nextBound).toBe(bound);
    await storeClockReaches(store, bound);
    const holder = await store.join("node", "all");
    expect((await store.claimDue(holder, [{ targetKey, limit: 9 }])).claims).toEqual([]);
    const { nextBound } = await store.endOutrun(9);
    expect(nextBound).toBe(later.options!.notAfter);
    expect((await store.endOutrun(9)).ended).toBe(0);
    const ended = await store.getMessage(refTo(brief));
    expect(ended).toMatchObject({
      state: "DEAD_LETTER",
      endReason: "NOT_AFTER",
      nextDeliveryTime: null,
      deliveryFailureCount: 0,
      lastDeliveryTime: null,
    });
    expect(ended!.deadLetterTime).toBeGreaterThanOrEqual(bound);
    expect(ended!.expirationTime).not.toBeNull();
  });

  test("a message behind others that are over is claimed once they have ended", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const brief = await Promise.all(Array.from({ length: 5 }, () => briefMessage(store, 20)));
    const behind = await schedule(store, "t", { delayMs: 0 });
    await storeClockReaches(store, Math.max(...brief.map(({ options }) => options!.notAfter!)));
    const holder = await store.join("node", "all");
    const first = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    if (first.claims.length === 0) {
      // It does not look as if nothing were due.
      expect(first.targets[0]!.nextDueAt).toBeLessThanOrEqual(first.now);
      await store.endOutrun(9);
      const second = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
      expect(second.claims.map(({ messageId }) => messageId)).toEqual([behind.messageId]);
    } else expect(first.claims[0]!.messageId).toBe(behind.messageId);
  });

  test("an attempt in flight decides, also after the bound", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const brief = await briefMessage(store, 1_500);
    const { holder, claim } = await claimOne(store, targetKey);
    await storeClockReaches(store, brief.options!.notAfter!);
    expect((await store.endOutrun(9)).ended).toBe(0);
    const [recorded] = await store.recordAttempts(holder, [resultOf(claim, { kind: "delivered" })]);
    expect(recorded).toMatchObject({ kind: "recorded", message: { state: "DELIVERED" } });
    expect((await store.endOutrun(9)).nextBound).toBeNull();
    expect((await store.getMessage(refTo(brief)))!.endReason).toBeNull();
  });

  test("a retry that would come at or after the bound is none", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await briefMessage(store, hour);
    const first = await claimOne(store, targetKey);
    const retry = { kind: "retry", delayMs: 0 } as const;
    const [kept] = await store.recordAttempts(first.holder, [resultOf(first.claim, retry)]);
    expect(kept).toMatchObject({ message: { state: "SCHEDULED" } });
    const second = await claimOne(store, targetKey);
    const tooLate = resultOf(second.claim, { kind: "retry", delayMs: hour });
    const [ended] = await store.recordAttempts(second.holder, [tooLate]);
    expect(ended).toMatchObject({ message: { state: "DEAD_LETTER", nextDeliveryTime: null } });
    expect(await store.getMessage(refTo(message))).toMatchObject({
      endReason: "NOT_AFTER",
      deliveryFailureCount: 2,
    });
    expect((await store.endOutrun(9)).nextBound).toBeNull();
  });

  test.each(["ATTEMPTS_EXHAUSTED", "FINAL_ANSWER", "ADDRESS_REFUSED", "REJECTED"] as const)(
    "%s stays on record as the reason of a plain dead letter",
    async (reason) => {
      const { store } = await open();
      const { targetKey } = await makeTarget(store, "t");
      const message = await schedule(store, "t", past);
      const { holder, claim } = await claimOne(store, targetKey);
      await store.recordAttempts(holder, [resultOf(claim, { kind: "dead-letter", reason })]);
      const range = { minTime: null, maxTime: null, after: null, limit: 9 };
      const dead = await store.listDeadLetters({ accountId: account, targetId: "t", ...range });
      expect(dead).toMatchObject([{ messageId: message.messageId, endReason: reason }]);
      await store.rescheduleMessage({ ...refTo(message), deliveryTime: farFuture, waitMs: 0 });
      expect((await store.getMessage(refTo(message)))!.endReason).toBeNull();
    },
  );

  test("a reschedule keeps the bound, and is refused from there on", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const message = await schedule(store, "t", farFuture, {
      options: { notAfter: farFuture + hour },
    });
    const moveTo = (deliveryTime: number, change: object = {}) =>
      store.rescheduleMessage({ ...refTo(message), deliveryTime, waitMs: 0, ...change });
    expect(await moveTo(farFuture + hour)).toMatchObject({ kind: "too-late" });
    expect(await store.getMessage(refTo(message))).toEqual(message);
    expect(await moveTo(farFuture + hour - 1)).toMatchObject({
      message: { options: { notAfter: farFuture + hour } },
    });
    const given = { bound: { notAfter: farFuture + 3 * hour } };
    expect(await moveTo(farFuture + 3 * hour, given)).toMatchObject({ kind: "too-late" });
    expect(await moveTo(farFuture + 2 * hour, given)).toMatchObject({
      message: { options: { notAfter: farFuture + 3 * hour } },
    });
    expect((await store.endOutrun(9)).nextBound).toBe(farFuture + 3 * hour);
    expect(await moveTo(farFuture + 5 * hour, { bound: { notAfterMs: 7 } })).toMatchObject({
      message: { options: { notAfter: farFuture + 5 * hour + 7, notAfterMs: 7 } },
    });
    expect(await moveTo(farFuture + 6 * hour)).toMatchObject({
      message: { options: { notAfter: farFuture + 6 * hour + 7, notAfterMs: 7 } },
    });
    expect(await moveTo(farFuture, { bound: null })).toMatchObject({ message: { options: null } });
    expect((await store.endOutrun(9)).nextBound).toBeNull();
    expect(await store.getMessage(refTo(message))).toMatchObject({ options: null });
  });

  test("a cancel that waited for a failure comes before the bound's decision", async () => {
    const { store, whenWaiting } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await briefMessage(store, hour);
    const { holder, claim } = await claimOne(store, targetKey);
    const cancelling = store.cancelMessage({ ...refTo(message), waitMs: longWaitMs });
    await whenWaiting(1);
    const retry = { kind: "retry", delayMs: hour } as const;
    await store.recordAttempts(holder, [resultOf(claim, retry)]);
    expect(await cancelling).toMatchObject({ kind: "changed", message: { state: "CANCELLED" } });
    expect((await store.getMessage(refTo(message)))!.endReason).toBeNull();
  });

  test("a waiting reschedule beyond the bound is refused, and the policy decides", async () => {
    const { store, whenWaiting } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(
      store,
      "t",
      { delayMs: 0 },
      { options: { notAfter: farFuture } },
    );
    const { holder, claim } = await claimOne(store, targetKey);
    const moving = store.rescheduleMessage({
      ...refTo(message),
      deliveryTime: farFuture,
      waitMs: longWaitMs,
    });
    await whenWaiting(1);
    await store.recordAttempts(holder, [resultOf(claim, exhausted)]);
    expect(await moving).toMatchObject({ kind: "too-late" });
    expect(await store.getMessage(refTo(message))).toMatchObject({
      state: "DEAD_LETTER",
      endReason: "ATTEMPTS_EXHAUSTED",
    });
  });

  test("a waiting reschedule brings its own bound along", async () => {
    const { store, whenWaiting } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await briefMessage(store, hour);
    const { holder, claim } = await claimOne(store, targetKey);
    const moving = store.rescheduleMessage({
      ...refTo(message),
      deliveryTime: farFuture,
      bound: { notAfter: farFuture + 1 },
      waitMs: longWaitMs,
    });
    await whenWaiting(1);
    await store.recordAttempts(holder, [resultOf(claim, exhausted)]);
    expect(await moving).toMatchObject({
      kind: "changed",
      message: { nextDeliveryTime: farFuture, options: { notAfter: farFuture + 1 } },
    });
    expect((await store.endOutrun(9)).nextBound).toBe(farFuture + 1);
  });
}
