import type { Caller } from "../../domain/access.ts";
import type { FailingAfter } from "../../domain/failing-after.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import type { Problem } from "../../domain/refusals.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { defaultMaxConcurrency } from "../../domain/target.ts";
import type { TargetChange } from "../../storage/store.ts";
import { openSettings, sealSettings } from "../../targets/sealed-target.ts";
import { changeTarget } from "./change-target.ts";
import type { ChangeTargetOptions } from "./change-target.ts";
import {
  completeRetryPolicy,
  retryPolicyProblem,
} from "../retry-policies/complete-retry-policy.ts";
import type { GivenRetryPolicy } from "../retry-policies/complete-retry-policy.ts";
import { viewTarget } from "./target-view.ts";
import type { TargetView, ViewTargetOptions } from "./target-view.ts";

export interface UpdateTargetOptions extends ChangeTargetOptions, ViewTargetOptions {}

/**
 * Undefined keeps a part, null resets it to its default. The settings of the target's kind are among the
 * other fields.
 */
export interface GivenTargetChange {
  readonly retryPolicy?: GivenRetryPolicy | null | undefined;
  readonly maxConcurrency?: number | null | undefined;
  readonly rateLimit?: RateLimit | null | undefined;
  readonly paused?: boolean | null | undefined;
  readonly failingAfter?: FailingAfter | null | undefined;
  readonly [setting: string]: unknown;
}

export async function updateTarget(
  options: UpdateTargetOptions,
  caller: Caller,
  targetId: string,
  given: GivenTargetChange,
  formProblems: readonly Problem[] = [],
): Promise<TargetView> {
  const { secretBox, targetKinds } = options;
  const { retryPolicy, maxConcurrency, rateLimit, paused, failingAfter, ...settingsChange } = given;
  const touchesSettings = Object.values(settingsChange).some((value) => value !== undefined);
  const fields = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  const audited = { action: "target.updated", detail: { fields } } as const;
  const changed = await changeTarget(options, caller, targetId, audited, async (target) => {
    const problems = [...formProblems];
    const change: { -readonly [Part in keyof TargetChange]: TargetChange[Part] } = {};
    if (touchesSettings) {
      const kept = openSettings(secretBox, target);
      const kind = targetKinds.get(target.kind);
      const merged = await kind.merge(kept, settingsChange, target.accountId);
      problems.push(...merged.problems);
      change.sealedSettings = sealSettings(secretBox, merged.settings);
    }
    if (retryPolicy !== undefined) {
      change.retryPolicy = completeRetryPolicy(retryPolicy);
      const problem = retryPolicyProblem(change.retryPolicy);
      if (problem !== undefined) problems.push(problem);
    }
    if (maxConcurrency !== undefined) {
      change.maxConcurrency = maxConcurrency ?? defaultMaxConcurrency;
    }
    if (rateLimit !== undefined) change.rateLimit = rateLimit;
    if (failingAfter !== undefined) change.failingAfter = failingAfter;
    if (paused !== undefined) change.paused = paused ?? false;
    if (problems.length > 0) throw new RequestRefused(...problems);
    return change;
  });
  return viewTarget(options, changed);
}
