import { expect, test } from "vitest";
import { attemptOutcomes, mostAttemptsKept } from "../../domain/attempt.ts";
import type { Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  attemptAt,
  hour,
  makeTarget,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";

export function recordSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  async function claimed(store: Store) {
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const holder = await store.join("node", "all");
    const claim = (await store.claimDue(holder, [{ targetKey, limit: 1 }])).claims[0]!;
    return { targetKey, message, holder, claim };
  }

  test("a delivery ends the message, durably, with its attempt on record", async () => {
    const { store, reopen } = await open({ retentionMs: hour });
    const { message, holder, claim } = await claimed(store);
    const [recorded] = await store.recordAttempts(holder, [resultOf(claim, { kind: "delivered" })]);
    const became = { state: "DELIVERED", nextDeliveryTime: null };
    expect(recorded).toMatchObject({ kind: "recorded", message: became });
    const again = await reopen();
    const found = await again.getMessage(refTo(message));
    expect(found).toMatchObject({
      ...became,
      deliveryFailureCount: 0,
      lastDeliveryTime: attemptAt(claim).startTime,
    });
    expect(found!.expirationTime! - again.clock.now()).toBeGreaterThan(hour - 60_000);
    expect(await again.listAttempts(refTo(message))).toEqual([attemptAt(claim)]);
    expect(await again.counts()).toEqual({ pending: 0 });
  });

  test("a failure with retries left is due again after the delay, by the store's clock", async () => {
    const { store } = await open();
    const { targetKey, message, holder, claim } = await claimed(store);
    const before = (await store.claimDue(holder, [])).now;
    await store.recordAttempts(holder, [resultOf(claim, { kind: "retry", delayMs: hour })]);
    const found = (await store.getMessage(refTo(message)))!;
    expect(found).toMatchObject({ state: "SCHEDULED", deliveryFailureCount: 1 });
    expect(found.nextDeliveryTime! - before).toBeGreaterThanOrEqual(hour);
    expect(found.nextDeliveryTime! - before).toBeLessThan(hour + 60_000);
    const next = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    expect(next.claims).toEqual([]);
    expect(next.targets[0]?.nextDueAt).toBe(found.nextDeliveryTime);
  });

  test("a failure without retries left makes a dead letter", async () => {
    const { store } = await open({ retentionMs: hour });
    const { message, holder, claim } = await claimed(store);
    await store.recordAttempts(holder, [
      resultOf(claim, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
    ]);
    const found = (await store.getMessage(refTo(message)))!;
    expect(found).toMatchObject({
      state: "DEAD_LETTER",
      deliveryFailureCount: 1,
      nextDeliveryTime: null,
    });
    expect(found.expirationTime! - found.deadLetterTime!).toBe(hour);
  });

  test("attempt numbers continue over retries and reschedules; a reschedule starts a new round", async () => {
    const { store } = await open();
    const { targetKey, message, holder, claim } = await claimed(store);
    await store.recordAttempts(holder, [resultOf(claim, { kind: "retry", delayMs: 0 })]);
    const second = (await store.claimDue(holder, [{ targetKey, limit: 1 }])).claims[0]!;
    expect(second).toMatchObject({ attemptNumber: 2, attemptsThisRound: 1 });
    await store.recordAttempts(holder, [
      resultOf(second, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
    ]);
    await store.rescheduleMessage({ ...refTo(message), deliveryTime: past, waitMs: 0 });
    const third = (await store.claimDue(holder, [{ targetKey, limit: 1 }])).claims[0]!;
    expect(third).toMatchObject({ attemptNumber: 3, attemptsThisRound: 0 });
    await store.recordAttempts(holder, [resultOf(third, { kind: "delivered" })]);
    const attempts = await store.listAttempts(refTo(message));
    expect(attempts?.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, "TIMEOUT"],
      [2, "TIMEOUT"],
      [3, "DELIVERED"],
    ]);
    expect(await store.getMessage(refTo(message))).toMatchObject({ deliveryFailureCount: 2 });
  });

  test("every outcome reads back as it was written", async () => {
    const { store } = await open();
    const { targetKey, message, holder, claim } = await claimed(store);
    let current = claim;
    const written = [];
    for (const outcome of attemptOutcomes.filter((each) => each !== "DELIVERED")) {
      const attempt = {
        ...attemptAt(current, outcome),
        statusCode: 503,
        error: "é\u2028",
        response: "<html>\u0000",
      };
      written.push(attempt);
      await store.recordAttempts(holder, [
        { ...resultOf(current, { kind: "retry", delayMs: 0 }), attempt },
      ]);
      current = (await store.claimDue(holder, [{ targetKey, limit: 1 }])).claims[0]!;
    }
    expect(await store.listAttempts(refTo(message))).toEqual(written);
  });

  test("of very many attempts, the latest are kept and listed, in the order of their numbers", async () => {
    // Nobody renews the membership meanwhile, and a busy machine takes long for so many.
    const { store, countAttempts } = await open({ leaseMs: hour });
    const { targetKey, message, holder, claim } = await claimed(store);
    let current = claim;
    while (current.attemptNumber < mostAttemptsKept + 203) {
      await store.recordAttempts(holder, [resultOf(current, { kind: "retry", delayMs: 0 })]);
      current = (await store.claimDue(holder, [{ targetKey, limit: 1 }])).claims[0]!;
    }
    const attempts = await store.listAttempts(refTo(message));
    const latest = Array.from({ length: mostAttemptsKept }, (_, index) => index + 203);
    expect(attempts?.map(({ number }) => number)).toEqual(latest);
    expect(await countAttempts()).toBeLessThan(mostAttemptsKept + 100);
    const counted = { deliveryFailureCount: mostAttemptsKept + 202 };
    expect(await store.getMessage(refTo(message))).toMatchObject(counted);
  }, 60_000);

  test("a result is taken once: a second one changes nothing", async () => {
    const { store } = await open();
    const { message, holder, claim } = await claimed(store);
    const delivered = resultOf(claim, { kind: "delivered" });
    const dead = resultOf(claim, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" });
    expect((await store.recordAttempts(holder, [delivered]))[0]?.kind).toBe("recorded");
    expect(await store.recordAttempts(holder, [dead, delivered])).toEqual([
      { kind: "stale" },
      { kind: "stale" },
    ]);
    expect(await store.getMessage(refTo(message))).toMatchObject({ state: "DELIVERED" });
    expect(await store.listAttempts(refTo(message))).toHaveLength(1);
  });

  test("a result for another version of the message is stale", async () => {
    const { store } = await open();
    const { message, holder, claim } = await claimed(store);
    const wrong = { ...resultOf(claim, { kind: "delivered" }), version: claim.version + 1 };
    expect(await store.recordAttempts(holder, [wrong])).toEqual([{ kind: "stale" }]);
    expect(await store.getMessage(refTo(message))).toMatchObject({ state: "SCHEDULED" });
    const right = resultOf(claim, { kind: "delivered" });
    expect((await store.recordAttempts(holder, [right]))[0]?.kind).toBe("recorded");
  });

  test("results of one call are answered in order, each by itself", async () => {
    const { store } = await open();
    const { holder, claim } = await claimed(store);
    const stranger = { ...claim, messageId: "msg_00000000000000000000000000" };
    const results = await store.recordAttempts(holder, [
      resultOf(stranger, { kind: "delivered" }),
      resultOf(claim, { kind: "delivered" }),
    ]);
    expect(results.map((result) => result.kind)).toEqual(["stale", "recorded"]);
  });
}
