import { rateAllowance, rateOpensAt, spendRate } from "../../../../src/domain/rate-limit.ts";
import { monthOf } from "../../../../src/domain/usage.ts";
import { StoreUnavailable } from "../../../../src/storage/store.ts";
import type { BeginTestResult, TargetRef, TargetTest } from "../../../../src/storage/store.ts";
import { liveAccount } from "../database-state.ts";
import type { Context } from "../database-state.ts";
import type { Admission } from "../rules.ts";

interface Tester {
  readonly epoch: number;
  readonly generation: number;
  readonly testKey: string;
}

export function targetTests({ state }: Context) {
  const { clock, rules, claims, targets, memberships, tests } = state;

  function begin(ref: TargetRef, by: Tester, admission: Admission): BeginTestResult {
    const account = liveAccount(state, ref.accountId);
    const kept = targets.live(ref);
    if (account === undefined || kept === undefined) return { kind: "no-target" };
    const { target } = kept;
    const { targetKey, rateLimit, maxConcurrency } = target;
    const now = clock.now();
    if (!memberships.has(by.epoch)) throw new StoreUnavailable("no lease");
    if (claims.countOf(targetKey) + tests.countOf(targetKey) >= maxConcurrency) {
      return { kind: "busy" };
    }
    if (rateLimit !== null && rateAllowance(rateLimit, kept.fullAt, now) === 0) {
      const opensInMs = Math.max(1, rateOpensAt(rateLimit, kept.fullAt, now) - now);
      return { kind: "over-rate", opensInMs };
    }
    if (!admission.admit(account, monthOf(now))) return { kind: "over-quota" };
    if (rateLimit !== null) kept.fullAt = spendRate(rateLimit, kept.fullAt, now, 1);
    const test = { accountId: ref.accountId, targetKey, testKey: by.testKey };
    tests.add({ ...test, ...by });
    return { kind: "begun", test, target };
  }

  return {
    beginTest(ref: TargetRef, by: Tester): BeginTestResult | Promise<BeginTestResult> {
      const admission = rules.admission(state);
      return admission instanceof Promise
        ? admission.then((later) => begin(ref, by, later))
        : begin(ref, by, admission);
    },

    endTest({ testKey }: TargetTest): void {
      tests.end(testKey);
    },
  };
}
