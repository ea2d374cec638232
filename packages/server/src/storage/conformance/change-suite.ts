import { expect, test } from "vitest";
import type { ChangeResult, Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  farFuture,
  hour,
  makeTarget,
  note,
  otherAccount,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";

const longWaitMs = 60_000;

async function claimOne(store: Store, targetKey: number) {
  const holder = await store.join("node", "all");
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
  return { holder, claim: claims[0]! };
}

export function changeSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("cancel: once, from SCHEDULED, durably, and the message is never delivered", async () => {
    const { store, reopen } = await open({ retentionMs: hour });
    const target = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const result = await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    expect(result).toMatchObject({
      kind: "changed",
      message: { state: "CANCELLED", nextDeliveryTime: null },
    });
    if (result.kind !== "changed") return;
    const { cancellationTime, expirationTime } = result.message;
    expect(expirationTime! - cancellationTime!).toBe(hour);
    const again = await reopen();
    expect(await again.getMessage(refTo(message))).toEqual(result.message);
    expect(await again.cancelMessage({ ...refTo(message), waitMs: 0 })).toMatchObject({
      kind: "refused",
    });
    const holder = await again.join("node", "all");
    expect(
      (await again.claimDue(holder, [{ targetKey: target.targetKey, limit: 9 }])).claims,
    ).toEqual([]);
  });

  test("reschedule: moves the time, keeps the original, and revives a cancelled message", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const message = await schedule(store, "t", farFuture);
    await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    const result = await store.rescheduleMessage({
      ...refTo(message),
      deliveryTime: farFuture + 1,
      waitMs: 0,
    });
    expect(result).toMatchObject({
      kind: "changed",
      message: {
        state: "SCHEDULED",
        originalDeliveryTime: farFuture,
        nextDeliveryTime: farFuture + 1,
        cancellationTime: null,
        expirationTime: null,
      },
    });
    expect(await store.counts()).toEqual({ pending: 1 });
  });

  test("an unknown message, or one of another account, is not found", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const { messageId } = await schedule(store, "t", farFuture);
    const foreign = { accountId: otherAccount, messageId, waitMs: 0 };
    const unknown = { accountId: account, messageId: "msg_nothing", waitMs: 0 };
    for (const ref of [foreign, unknown]) {
      expect(await store.cancelMessage(ref)).toEqual({ kind: "not-found" });
      expect(await store.rescheduleMessage({ ...ref, deliveryTime: 1 })).toEqual({
        kind: "not-found",
      });
    }
  });

  test("a delivered message can be neither cancelled nor rescheduled", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const { holder, claim } = await claimOne(store, targetKey);
    await store.recordAttempts(holder, [resultOf(claim, { kind: "delivered" })]);
    expect(await store.cancelMessage({ ...refTo(message), waitMs: 0 })).toMatchObject({
      kind: "refused",
    });
    expect(
      await store.rescheduleMessage({ ...refTo(message), deliveryTime: farFuture, waitMs: 0 }),
    ).toMatchObject({ kind: "refused" });
  });

  test("if an attempt outlasts the wait, nothing changes", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const { holder, claim } = await claimOne(store, targetKey);
    for (const waitMs of [0, 20]) {
      expect(await store.cancelMessage({ ...refTo(message), waitMs })).toEqual({
        kind: "in-flight",
      });
      expect(
        await store.rescheduleMessage({ ...refTo(message), deliveryTime: farFuture, waitMs }),
      ).toEqual({ kind: "in-flight" });
    }
    const [recorded] = await store.recordAttempts(holder, [
      resultOf(claim, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
    ]);
    expect(recorded).toMatchObject({ kind: "recorded", message: { state: "DEAD_LETTER" } });
  });

  test("a waiting cancel takes effect when the attempt fails, even the last one", async () => {
    for (const next of [
      { kind: "retry", delayMs: 0 },
      { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" },
    ] as const) {
      const { store, whenWaiting } = await open();
      const { targetKey } = await makeTarget(store, "t");
      const message = await schedule(store, "t", past);
      const { holder, claim } = await claimOne(store, targetKey);
      const cancelling = store.cancelMessage({ ...refTo(message), waitMs: longWaitMs });
      await whenWaiting(1);
      const [recorded] = await store.recordAttempts(holder, [resultOf(claim, next)]);
      expect(recorded).toMatchObject({ kind: "recorded", message: { state: "CANCELLED" } });
      expect(await cancelling).toMatchObject({
        kind: "changed",
        message: { state: "CANCELLED", deliveryFailureCount: 1, deadLetterTime: null },
      });
      const { claims } = await store.claimDue(holder, [{ targetKey, limit: 9 }]);
      expect(claims).toEqual([]);
      expect(await store.counts()).toEqual({ pending: 0 });
    }
  });

  test("a waiting reschedule takes effect when the attempt fails, and the attempt stays on record", async () => {
    const { store, whenWaiting } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const { holder, claim } = await claimOne(store, targetKey);
    const moving = store.rescheduleMessage({
      ...refTo(message),
      deliveryTime: farFuture,
      waitMs: longWaitMs,
    });
    await whenWaiting(1);
    await store.recordAttempts(holder, [resultOf(claim, { kind: "retry", delayMs: 5 })]);
    expect(await moving).toMatchObject({
      kind: "changed",
      message: { state: "SCHEDULED", nextDeliveryTime: farFuture, deliveryFailureCount: 1 },
    });
    expect(await store.getMessage(refTo(message))).toMatchObject({ nextDeliveryTime: farFuture });
  });

  test("waiting calls are refused when the attempt delivers", async () => {
    const { store, whenWaiting } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const { holder, claim } = await claimOne(store, targetKey);
    const cancelling = store.cancelMessage({ ...refTo(message), waitMs: longWaitMs });
    const moving = store.rescheduleMessage({
      ...refTo(message),
      deliveryTime: farFuture,
      waitMs: longWaitMs,
    });
    await whenWaiting(2);
    await store.recordAttempts(holder, [resultOf(claim, { kind: "delivered" })]);
    expect(await cancelling).toMatchObject({ kind: "refused", message: { state: "DELIVERED" } });
    expect(await moving).toMatchObject({ kind: "refused", message: { state: "DELIVERED" } });
  });

  test("several waiting calls are decided in the order in which they came", async () => {
    const { store, whenWaiting } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const { holder, claim } = await claimOne(store, targetKey);
    const ref = { ...refTo(message), waitMs: longWaitMs };
    const first = store.cancelMessage(ref);
    await whenWaiting(1);
    const second = store.cancelMessage(ref);
    await whenWaiting(2);
    const third = store.rescheduleMessage({ ...ref, deliveryTime: farFuture });
    await whenWaiting(3);
    await store.recordAttempts(holder, [
      resultOf(claim, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
    ]);
    expect(await first).toMatchObject({ kind: "changed" });
    expect(await second).toMatchObject({ kind: "refused", message: { state: "CANCELLED" } });
    expect(await third).toMatchObject({ kind: "changed", message: { state: "SCHEDULED" } });
    expect(await store.counts()).toEqual({ pending: 1 });
  });

  test("a cancel and an outcome at the same time agree on which came first", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t", { maxConcurrency: 200 });
    const messages = await Promise.all(
      Array.from({ length: 60 }, () => schedule(store, "t", past)),
    );
    const holder = await store.join("node", "all");
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 60 }]);
    expect(claims).toHaveLength(60);
    const meetings = claims.map(async (claim, index) => {
      const ref = refTo(claim);
      const cancel = (): Promise<ChangeResult> =>
        store.cancelMessage({ ...ref, waitMs: longWaitMs });
      const record = (): Promise<unknown> =>
        store.recordAttempts(holder, [
          resultOf(claim, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
        ]);
      const pair = index % 2 === 0 ? [cancel(), record()] : [record(), cancel()];
      const results = await Promise.all(pair);
      const cancelled = results[index % 2] as ChangeResult;
      expect(results[1 - (index % 2)]).toMatchObject([{ kind: "recorded" }]);
      const message = await store.getMessage(ref);
      expect(message).toMatchObject({ deliveryFailureCount: 1 });
      expect([cancelled.kind, message?.state]).toEqual(
        cancelled.kind === "changed" ? ["changed", "CANCELLED"] : ["refused", "DEAD_LETTER"],
      );
      expect(await store.listAttempts(ref)).toHaveLength(1);
    });
    await Promise.all(meetings);
    expect(messages).toHaveLength(60);
  });

  test("a waiting cancel takes effect when the claim is given back", async () => {
    const { store, whenWaiting } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const { holder, claim } = await claimOne(store, targetKey);
    const cancelling = store.cancelMessage({ ...refTo(message), waitMs: longWaitMs });
    await whenWaiting(1);
    await store.releaseClaims(holder, [claim.messageId]);
    expect(await cancelling).toMatchObject({
      kind: "changed",
      message: { state: "CANCELLED", deliveryFailureCount: 0 },
    });
  });

  test("a message of a removed target cannot be rescheduled", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const message = await schedule(store, "t", farFuture);
    await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    await store.removeTarget({ accountId: account, targetId: "t" }, note());
    const move = { ...refTo(message), deliveryTime: farFuture, waitMs: 0 };
    expect(await store.rescheduleMessage(move)).toEqual({ kind: "no-target" });
    await makeTarget(store, "t");
    expect(await store.rescheduleMessage(move)).toMatchObject({ kind: "changed" });
  });
}
