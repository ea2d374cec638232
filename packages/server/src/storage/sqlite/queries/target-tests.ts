import { monthOf } from "../../../domain/usage.ts";
import type { BeginTestResult, TargetRef, TargetTest } from "../../store.ts";
import type { Context } from "./context.ts";
import { getTarget } from "./targets.ts";

export function beginTest(context: Context) {
  const { clock, accounts, claims, tests, rates, usage } = context;
  const get = getTarget(context);
  return (ref: TargetRef): BeginTestResult => {
    const accountKey = accounts.keyOf(ref.accountId);
    const target = get(ref);
    if (accountKey === undefined || target === undefined) return { kind: "no-target" };
    const { targetKey, maxConcurrency, rateLimit } = target;
    const now = clock.now();
    const rate = rates.of(targetKey, rateLimit && JSON.stringify(rateLimit), now);
    if (claims.countOf(targetKey) + tests.countOf(targetKey) >= maxConcurrency) {
      return { kind: "busy" };
    }
    if (rate.allowance < 1) return { kind: "over-rate", opensInMs: rate.closedMs() };
    const month = monthOf(now);
    if (!usage.hasRoom(accountKey, month)) return { kind: "over-quota" };
    usage.count(accountKey, month);
    rate.spend(1);
    return { kind: "begun", test: tests.begin(ref.accountId, targetKey), target };
  };
}

export function endTest({ tests }: Context) {
  return (test: TargetTest): void => tests.end(test);
}
