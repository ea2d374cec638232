import { describe, expect, test } from "vitest";
import type { ConflictMode } from "../../domain/message-key.ts";
import type { MessageOptions } from "../../domain/message-options.ts";
import type { Message } from "../../domain/message.ts";
import type { NextStep } from "../../domain/retry-policy.ts";
import type { ScheduleRequest, ScheduleResult, Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  exhausted,
  farFuture,
  hour,
  limitMessages,
  makeTarget,
  otherAccount,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";

const replacing: readonly ConflictMode[] = ["replace", "replaceKeepTime", "debounce"];

/** A request with the key "k", unless `change` says otherwise. */
function keyed(onConflict: ConflictMode, change: Partial<ScheduleRequest> = {}): ScheduleRequest {
  const isDebounced = onConflict === "debounce";
  return {
    accountId: account,
    targetId: "t",
    deliveryTime: isDebounced ? { delayMs: hour } : farFuture,
    payload: "first",
    options: { key: "k" },
    wantedKey: { key: "k", onConflict, maxWaitMs: isDebounced ? 10 * hour : null },
    idempotency: null,
    ...change,
  };
}

async function ask(store: Store, request: ScheduleRequest): Promise<ScheduleResult> {
  const [result] = await store.scheduleMessages([request]);
  return result!;
}

async function stored(store: Store, request: ScheduleRequest) {
  const result = await ask(store, request);
  if (result.kind !== "scheduled" && result.kind !== "kept") throw new Error(result.kind);
  return result;
}

const ref = { accountId: account, targetId: "t", key: "k" };

async function failOnce(
  store: Store,
  targetKey: number,
  retryMs: number,
  next: NextStep = { kind: "retry", delayMs: retryMs },
): Promise<void> {
  const holder = await store.join("node", "all");
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
  await store.recordAttempts(holder, [resultOf(claims[0]!, next)]);
}

export function keySuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  async function withTarget() {
    const opened = await open();
    const { targetKey } = await makeTarget(opened.store, "t");
    return { ...opened, targetKey };
  }

  test("a free key is taken, and finds its message, also after a restart", async () => {
    const { store, reopen } = await withTarget();
    const created = await stored(store, keyed("reject"));
    expect(created).toMatchObject({ kind: "scheduled", keyOutcome: "created" });
    expect(created.message.options).toEqual({ key: "k" });
    expect(await store.findByKey(ref)).toEqual(created.message);
    expect(await store.getMessage(refTo(created.message))).toEqual(created.message);
    const again = await reopen();
    expect(await again.findByKey(ref)).toEqual(created.message);
    expect(await ask(again, keyed("reject"))).toMatchObject({ kind: "key-taken" });
  });

  test("a key belongs to one target, and nobody else sees its message", async () => {
    const { store } = await withTarget();
    await makeTarget(store, "u");
    await makeTarget(store, "t", { accountId: otherAccount });
    const { message } = await stored(store, keyed("reject"));
    for (const other of [{ targetId: "u" }, { accountId: otherAccount }]) {
      expect(await store.findByKey({ ...ref, ...other })).toBeUndefined();
      const result = await stored(store, keyed("reject", other));
      expect(result.keyOutcome).toBe("created");
      expect(result.message.messageId).not.toBe(message.messageId);
    }
    expect(await store.findByKey({ ...ref, key: "K" })).toBeUndefined();
    expect(await store.findByKey(ref)).toEqual(message);
  });

  test("reject names the holder, keep answers with it, and neither changes anything", async () => {
    const { store } = await withTarget();
    const { message } = await stored(store, keyed("reject"));
    expect(await ask(store, keyed("reject", { payload: "second" }))).toEqual({
      kind: "key-taken",
      messageId: message.messageId,
    });
    expect(await ask(store, keyed("keep", { payload: "second" }))).toEqual({
      kind: "kept",
      message,
      keyOutcome: "kept",
    });
    expect(await store.getPayload(refTo(message))).toBe("first");
    expect(await store.getMessage(refTo(message))).toEqual(message);
  });

  test("replace gives a message that was never attempted another content, under its id", async () => {
    const { store } = await withTarget();
    const options: MessageOptions = {
      key: "k",
      labels: { a: "1" },
      notAfter: farFuture + 9 * hour,
    };
    const { message: first } = await stored(store, keyed("reject", { options }));
    const wanted: MessageOptions = { key: "k", labels: { b: "2" }, timeoutMs: 5 };
    const change = { payload: "second", deliveryTime: farFuture + hour, options: wanted };
    const result = await stored(store, keyed("replace", change));
    expect(result).toMatchObject({ kind: "scheduled", keyOutcome: "replaced" });
    expect(result.message).toMatchObject({
      messageId: first.messageId,
      schedulingTime: first.schedulingTime,
      originalDeliveryTime: farFuture + hour,
      nextDeliveryTime: farFuture + hour,
      options: wanted,
    });
    expect(await store.getMessage(refTo(first))).toEqual(result.message);
    expect(await store.findByKey(ref)).toEqual(result.message);
    expect(await store.getPayload(refTo(first))).toBe("second");
    expect((await store.endOutrun(1)).nextBound).toBeNull();
  });

  test("replaceKeepTime replaces all but the time", async () => {
    const { store } = await withTarget();
    const { message: first } = await stored(store, keyed("reject"));
    const change = { payload: "second", deliveryTime: farFuture + hour };
    const { message } = await stored(store, keyed("replaceKeepTime", change));
    expect(message).toMatchObject({
      messageId: first.messageId,
      originalDeliveryTime: farFuture,
      nextDeliveryTime: farFuture,
    });
    expect(await store.getPayload(refTo(first))).toBe("second");
  });

  test("debounce moves the time on, and not beyond its limit", async () => {
    const { store } = await withTarget();
    const { message: first, ...created } = await stored(store, keyed("debounce"));
    expect(created.keyOutcome).toBe("created");
    expect(first.nextDeliveryTime! - first.schedulingTime).toBe(hour);
    const second = await stored(store, keyed("debounce", { payload: "second" }));
    expect(second.keyOutcome).toBe("debounced");
    expect(second.message.messageId).toBe(first.messageId);
    expect(second.message.nextDeliveryTime).toBeGreaterThanOrEqual(first.nextDeliveryTime!);
    const wantedKey = { key: "k", onConflict: "debounce", maxWaitMs: hour + 1 } as const;
    const change = { payload: "third", deliveryTime: { delayMs: 5 * hour }, wantedKey };
    const third = await stored(store, keyed("debounce", change));
    expect(third.message.nextDeliveryTime).toBe(first.schedulingTime + hour + 1);
    expect(await store.getPayload(refTo(first))).toBe("third");
  });

  test.each(replacing)("%s makes a new message once the old one was attempted", async (mode) => {
    const { store, targetKey } = await withTarget();
    const { message: old } = await stored(store, keyed("reject", { deliveryTime: past }));
    await failOnce(store, targetKey, hour);
    const waiting = (await store.getMessage(refTo(old)))!;
    const result = await stored(store, keyed(mode, { payload: "second" }));
    expect(result.keyOutcome).toBe(mode === "debounce" ? "debounced" : "replaced");
    expect(result.message.messageId).not.toBe(old.messageId);
    expect(result.message).toMatchObject({ state: "SCHEDULED", deliveryFailureCount: 0 });
    if (mode === "replaceKeepTime") {
      expect(result.message.nextDeliveryTime).toBe(waiting.nextDeliveryTime);
    }
    expect(await store.getMessage(refTo(old))).toMatchObject({
      state: "CANCELLED",
      endReason: "REPLACED",
      deliveryFailureCount: 1,
      nextDeliveryTime: null,
    });
    expect(await store.findByKey(ref)).toEqual(result.message);
    expect(await store.getPayload(refTo(result.message))).toBe("second");
    expect(await store.getPayload(refTo(old))).toBe("first");
  });

  test.each(replacing)("%s waits for an attempt in flight: nothing changes", async (mode) => {
    const { store, targetKey } = await withTarget();
    const { message } = await stored(store, keyed("reject", { deliveryTime: past }));
    const holder = await store.join("node", "all");
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    expect(await ask(store, keyed(mode, { payload: "second" }))).toEqual({
      kind: "held",
      messageId: message.messageId,
    });
    expect(await ask(store, keyed("keep"))).toMatchObject({ kind: "kept" });
    expect(await ask(store, keyed("reject"))).toMatchObject({ kind: "key-taken" });
    await store.recordAttempts(holder, [resultOf(claims[0]!, { kind: "delivered" })]);
    const result = await stored(store, keyed(mode, { payload: "second" }));
    expect(result.keyOutcome).toBe("created");
    expect((await store.getMessage(refTo(message)))!.state).toBe("DELIVERED");
  });

  describe("a key is free again in the commit in which its message", () => {
    test.each(["is delivered", "dies", "is cancelled", "outruns its bound"])("%s", async (end) => {
      const { store, targetKey } = await withTarget();
      const bounded = { deliveryTime: { delayMs: 0 }, options: { key: "k", notAfterMs: 30 } };
      const isBounded = end === "outruns its bound";
      const change = isBounded ? bounded : { deliveryTime: past };
      const { message } = await stored(store, keyed("reject", change));
      if (end === "is cancelled") await store.cancelMessage({ ...refTo(message), waitMs: 0 });
      else if (isBounded) {
        while ((await schedule(store, "t", farFuture)).schedulingTime < message.options!.notAfter!);
        while ((await store.endOutrun(1)).ended === 0);
      } else {
        const holder = await store.join("node", "all");
        const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
        const next = end === "dies" ? exhausted : ({ kind: "delivered" } as const);
        await store.recordAttempts(holder, [resultOf(claims[0]!, next)]);
      }
      expect(await store.findByKey(ref)).toBeUndefined();
      expect((await stored(store, keyed("reject"))).keyOutcome).toBe("created");
    });
  });

  test("an ended message cannot come back while another has its key", async () => {
    const { store } = await withTarget();
    const { message: old } = await stored(store, keyed("reject"));
    await store.cancelMessage({ ...refTo(old), waitMs: 0 });
    const { message: next } = await stored(store, keyed("reject"));
    const comeBack = () =>
      store.rescheduleMessage({ ...refTo(old), deliveryTime: farFuture, waitMs: 0 });
    expect(await comeBack()).toEqual({ kind: "key-taken", messageId: next.messageId });
    expect((await store.getMessage(refTo(old)))!.state).toBe("CANCELLED");
    await store.cancelMessage({ ...refTo(next), waitMs: 0 });
    expect(await comeBack()).toMatchObject({ kind: "changed" });
    expect((await store.findByKey(ref))!.messageId).toBe(old.messageId);
    expect(await ask(store, keyed("reject"))).toMatchObject({ kind: "key-taken" });
  });

  test.each(["cancelled", "replaced", "dead"])(
    "a change that is meant for a scheduled message does not bring one back that is %s",
    async (end) => {
      const { store, targetKey } = await withTarget();
      const { message } = await stored(store, keyed("reject", { deliveryTime: past }));
      if (end === "cancelled") await store.cancelMessage({ ...refTo(message), waitMs: 0 });
      else await failOnce(store, targetKey, hour, end === "dead" ? exhausted : undefined);
      if (end === "replaced") {
        const next = await stored(store, keyed("replace"));
        await store.cancelMessage({ ...refTo(next.message), waitMs: 0 });
      }
      const ended = (await store.getMessage(refTo(message)))!;
      const change = { ...refTo(message), deliveryTime: farFuture, waitMs: 0 };
      const refused = await store.rescheduleMessage({ ...change, whileScheduled: true });
      expect(refused).toMatchObject({ kind: "refused" });
      expect(await store.getMessage(refTo(message))).toEqual(ended);
      expect(await store.rescheduleMessage(change)).toMatchObject({ kind: "changed" });
      const again = await store.rescheduleMessage({ ...change, whileScheduled: true });
      expect(again).toMatchObject({ kind: "changed" });
    },
  );

  test("such a change that waits behind a cancel is refused too", async () => {
    const { store, targetKey, whenWaiting } = await withTarget();
    const { message } = await stored(store, keyed("reject", { deliveryTime: past }));
    const holder = await store.join("node", "all");
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    const ref = { ...refTo(message), waitMs: hour };
    const cancelling = store.cancelMessage(ref);
    await whenWaiting(1);
    const change = { ...ref, deliveryTime: farFuture, whileScheduled: true } as const;
    const rescheduling = store.rescheduleMessage(change);
    await whenWaiting(2);
    const retry = { kind: "retry", delayMs: hour } as const;
    await store.recordAttempts(holder, [resultOf(claims[0]!, retry)]);
    expect(await cancelling).toMatchObject({ kind: "changed" });
    expect(await rescheduling).toMatchObject({ kind: "refused" });
    expect((await store.getMessage(refTo(message)))!.state).toBe("CANCELLED");
  });

  test("a failure leaves a caller whose change is refused a moment before the next attempt", async () => {
    const { store, targetKey, whenWaiting } = await withTarget();
    const { message } = await stored(store, keyed("reject", { deliveryTime: past }));
    const holder = await store.join("node", "all");
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    const impossible = { deliveryTime: 0, bound: { notAfter: 0 }, whileScheduled: true } as const;
    const waiting = store.rescheduleMessage({ ...refTo(message), ...impossible, waitMs: hour });
    await whenWaiting(1);
    const { schedulingTime: now } = await schedule(store, "t", farFuture);
    await store.recordAttempts(holder, [resultOf(claims[0]!, { kind: "retry", delayMs: 0 })]);
    expect(await waiting).toMatchObject({ kind: "too-late" });
    const failed = (await store.getMessage(refTo(message)))!;
    expect(failed).toMatchObject({ state: "SCHEDULED", deliveryFailureCount: 1 });
    expect(failed.nextDeliveryTime! - now).toBeGreaterThanOrEqual(1_000);
    expect(failed.options).toEqual(message.options);
  });

  test("requests of one call with the same key are decided one after the other", async () => {
    const { store } = await withTarget();
    const results = await store.scheduleMessages([
      keyed("replace", { payload: "1" }),
      keyed("replace", { payload: "2" }),
      keyed("keep", { payload: "3" }),
      keyed("reject", { payload: "4" }),
      keyed("replace", { payload: "5" }),
      keyed("reject", { options: { key: "x" }, wantedKey: other("reject") }),
    ]);
    expect(
      results.map((result) => ("keyOutcome" in result ? result.keyOutcome : result.kind)),
    ).toEqual(["created", "replaced", "kept", "key-taken", "replaced", "created"]);
    const holder = (await store.findByKey(ref))!;
    expect(await store.getPayload(refTo(holder))).toBe("5");
  });

  test("of concurrent calls for one key, one creates and the others meet it", async () => {
    const { store } = await withTarget();
    const calls = Array.from({ length: 12 }, (_, index) =>
      ask(store, keyed(index % 2 === 0 ? "reject" : "replace", { payload: String(index) })),
    );
    const results = await Promise.all(calls);
    const created = results.filter(
      (result) => result.kind === "scheduled" && result.keyOutcome === "created",
    );
    expect(created).toHaveLength(1);
    const range = { minTime: null, maxTime: null, after: null, limit: 99 };
    const pending = await store.listScheduledMessages({
      accountId: account,
      targetId: "t",
      ...range,
    });
    expect(pending).toHaveLength(1);
  });

  test("a repeated call gets its first answer, whatever has the key now", async () => {
    const { store } = await withTarget();
    const first = keyed("replace", { idempotency: { key: "one", fingerprint: "f" } });
    const second = keyed("replace", {
      payload: "second",
      idempotency: { key: "two", fingerprint: "g" },
    });
    const keep = keyed("keep", { idempotency: { key: "three", fingerprint: "h" } });
    const answers: ScheduleResult[] = [];
    for (const request of [first, second, keep]) answers.push(await ask(store, request));
    const { message } = answers[0] as { readonly message: Message };
    await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    for (const [index, request] of [first, second, keep].entries()) {
      const answer = answers[index] as Extract<ScheduleResult, { readonly keyOutcome?: unknown }>;
      expect(await ask(store, request)).toEqual({
        kind: "repeated",
        message: (answer as { readonly message: Message }).message,
        keyOutcome: answer.keyOutcome,
      });
    }
    expect(await store.findByKey(ref)).toBeUndefined();
  });

  test("a refused call leaves its idempotency key free", async () => {
    const { store } = await withTarget();
    const { message } = await stored(store, keyed("reject"));
    const idempotency = { key: "one", fingerprint: "f" };
    expect(await ask(store, keyed("reject", { idempotency }))).toMatchObject({ kind: "key-taken" });
    await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    expect((await stored(store, keyed("reject", { idempotency }))).keyOutcome).toBe("created");
  });

  test("kept costs nothing of the monthly limit, and beyond it nothing is replaced", async () => {
    const { store } = await withTarget();
    await limitMessages(store, account, 2);
    const { message } = await stored(store, keyed("reject"));
    expect((await stored(store, keyed("keep"))).keyOutcome).toBe("kept");
    expect((await stored(store, keyed("replace", { payload: "2" }))).keyOutcome).toBe("replaced");
    expect(await ask(store, keyed("replace", { payload: "3" }))).toEqual({ kind: "over-quota" });
    expect(await ask(store, keyed("reject"))).toMatchObject({ kind: "key-taken" });
    expect(
      await ask(store, keyed("reject", { options: { key: "x" }, wantedKey: other("reject") })),
    ).toEqual({ kind: "over-quota" });
    expect(await store.findByKey({ ...ref, key: "x" })).toBeUndefined();
    expect(await store.getPayload(refTo(message))).toBe("2");
  });

  test("a bound that comes before the time that stays is refused", async () => {
    const { store } = await withTarget();
    const { message } = await stored(store, keyed("reject"));
    const options = { key: "k", notAfter: farFuture };
    expect(await ask(store, keyed("replaceKeepTime", { deliveryTime: past, options }))).toEqual({
      kind: "too-late",
    });
    expect(await store.getMessage(refTo(message))).toEqual(message);
  });

  test("messages with and without keys, and to no target, share a call", async () => {
    const { store } = await withTarget();
    await stored(store, keyed("reject"));
    const plain = { options: null, wantedKey: undefined };
    const { wantedKey: _, ...without } = keyed("reject", plain as never);
    const results = await store.scheduleMessages([
      without,
      keyed("replace", { targetId: "none" }),
      keyed("reject"),
      keyed("replace"),
      { ...without, idempotency: { key: "i", fingerprint: "f" } },
    ]);
    expect(results.map(({ kind }) => kind)).toEqual([
      "scheduled",
      "no-target",
      "key-taken",
      "scheduled",
      "scheduled",
    ]);
  });

  test("what is free, what is held and what has labels share a call, each with its own outcome", async () => {
    const { store } = await withTarget();
    const { message: holder } = await stored(store, keyed("reject"));
    const { wantedKey: _, ...labelled } = keyed("reject", { options: { labels: { a: "1" } } });
    const free = { options: { key: "x" }, wantedKey: other("reject") };
    const results = await store.scheduleMessages([
      keyed("replace", { payload: "new" }),
      keyed("reject", free),
      labelled,
      { ...labelled, targetId: "none" },
      keyed("reject", { ...free, targetId: "none" }),
    ]);
    expect(
      results.map((result) => ("keyOutcome" in result ? result.keyOutcome : result.kind)),
    ).toEqual(["replaced", "created", "scheduled", "no-target", "no-target"]);
    expect(await store.getPayload(refTo(holder))).toBe("new");
    expect(await store.getUsage(account)).toMatchObject({ used: 4 });
  });
}

function other(onConflict: ConflictMode) {
  return { key: "x", onConflict, maxWaitMs: null };
}
