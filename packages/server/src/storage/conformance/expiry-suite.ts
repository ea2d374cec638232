import { expect, test } from "vitest";
import type { MakeLocation } from "./harness.ts";
import {
  farFuture,
  hour,
  makeTarget,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";

export function expirySuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("an expired message does not exist, before its removal and after", async () => {
    const { store } = await open({ retentionMs: 0 });
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const holder = await store.join("node", "all");
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    await store.recordAttempts(holder, [
      resultOf(claims[0]!, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
    ]);
    const ref = refTo(message);
    const list = { accountId: ref.accountId, targetId: "t", minTime: null, maxTime: null };
    for (const stage of ["hidden", "removed"]) {
      expect(await store.getMessage(ref), stage).toBeUndefined();
      expect(await store.getPayload(ref), stage).toBeUndefined();
      expect(await store.listAttempts(ref), stage).toBeUndefined();
      expect(await store.listDeadLetters({ ...list, after: null, limit: 9 }), stage).toEqual([]);
      expect(await store.cancelMessage({ ...ref, waitMs: 0 })).toEqual({ kind: "not-found" });
      expect(await store.rescheduleMessage({ ...ref, deliveryTime: farFuture, waitMs: 0 })).toEqual(
        { kind: "not-found" },
      );
      if (stage === "hidden") expect((await store.removeExpired(10)).removed).toBe(1);
    }
    expect(await store.removeExpired(10)).toEqual({ removed: 0, nextExpiry: null });
  });

  test("expired messages are removed in batches, and the answer says when there is more to do", async () => {
    const { store, reopen } = await open({ retentionMs: 0 });
    await makeTarget(store, "t");
    for (let index = 0; index < 5; index++) {
      const message = await schedule(store, "t", farFuture);
      await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    }
    expect((await store.removeExpired(2)).removed).toBe(2);
    expect((await store.removeExpired(2)).removed).toBe(2);
    expect((await store.removeExpired(2)).removed).toBe(1);
    const again = await reopen({ retentionMs: hour });
    const last = await schedule(again, "t", farFuture);
    await again.cancelMessage({ ...refTo(last), waitMs: 0 });
    const { expirationTime } = (await again.getMessage(refTo(last)))!;
    expect(await again.removeExpired(2)).toEqual({ removed: 0, nextExpiry: expirationTime });
  });

  test("scheduled messages never expire, however late they are due", async () => {
    const { store } = await open({ retentionMs: 0 });
    await makeTarget(store, "t");
    const message = await schedule(store, "t", farFuture);
    expect(await store.removeExpired(10)).toEqual({ removed: 0, nextExpiry: null });
    expect(await store.getMessage(refTo(message))).toEqual(message);
  });

  test("an expired idempotency key can be used again", async () => {
    const { store } = await open({ idempotencyRetentionMs: 0 });
    await makeTarget(store, "t");
    const idempotency = { key: "k", fingerprint: "f" };
    const first = await schedule(store, "t", farFuture, { idempotency });
    const second = await schedule(store, "t", farFuture, { idempotency });
    expect(second.messageId).not.toBe(first.messageId);
    expect((await store.removeExpired(10)).removed).toBe(1);
  });
}
