import type { Caller } from "../../domain/access.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import type { Problem } from "../../domain/refusals.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import {
  defaultContentType,
  defaultMaxConcurrency,
  defaultTimeoutMs,
} from "../../domain/target.ts";
import type {
  Target,
  TargetKindName,
  TargetSettings,
  WebhookSettings,
} from "../../domain/target.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { TargetChange } from "../../storage/store.ts";
import { openSettings, sealSettings } from "../../targets/sealed-target.ts";
import type { TargetKinds } from "../../targets/target-kind.ts";
import { changeTarget } from "./change-target.ts";
import type { ChangeTargetOptions } from "./change-target.ts";
import { completeRetryPolicy, retryPolicyProblem } from "./complete-retry-policy.ts";
import type { GivenRetryPolicy } from "./complete-retry-policy.ts";
import { fillHeaderValues, strayingProblems } from "./header-values.ts";
import { viewTarget } from "./target-view.ts";
import type { TargetView } from "./target-view.ts";

export interface UpdateTargetOptions extends ChangeTargetOptions {
  readonly secretBox: SecretBox;
  readonly targetKinds: TargetKinds;
}

/** Undefined leaves a part as it is, null brings its default back. */
export interface GivenTargetChange {
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
  readonly contentType?: string | null | undefined;
  readonly timeoutMs?: number | null | undefined;
  readonly retryPolicy?: GivenRetryPolicy | null | undefined;
  readonly maxConcurrency?: number | null | undefined;
  readonly rateLimit?: RateLimit | null | undefined;
  readonly paused?: boolean | null | undefined;
}

export async function updateTarget(
  options: UpdateTargetOptions,
  caller: Caller,
  targetId: string,
  given: GivenTargetChange,
  formProblems: readonly Problem[] = [],
): Promise<TargetView> {
  const { secretBox, targetKinds } = options;
  const fields = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  const audited = { action: "target.updated", detail: { fields } } as const;
  const changed = await changeTarget(options, caller, targetId, audited, async (target) => {
    const problems = [...formProblems];
    const change: { -readonly [Part in keyof TargetChange]: TargetChange[Part] } = {};
    if (touchesSettings(given)) {
      const kept = openSettings(secretBox, target);
      const { headers, problems: headerProblems } = newHeaders(given.headers, kept.headers);
      const settings = { ...mergeSettings(kept, given), headers };
      problems.push(...headerProblems, ...strayingProblems(given.headers, kept, settings.url));
      problems.push(...(await checkSettings(targetKinds, target, settings)));
      change.sealedSettings = sealSettings(secretBox, settings);
    }
    if (given.retryPolicy !== undefined) {
      change.retryPolicy = completeRetryPolicy(given.retryPolicy);
      const problem = retryPolicyProblem(change.retryPolicy);
      if (problem !== undefined) problems.push(problem);
    }
    if (given.maxConcurrency !== undefined) {
      change.maxConcurrency = given.maxConcurrency ?? defaultMaxConcurrency;
    }
    if (given.rateLimit !== undefined) change.rateLimit = given.rateLimit;
    if (given.paused !== undefined) change.paused = given.paused ?? false;
    if (problems.length > 0) throw new RequestRefused(...problems);
    return change;
  });
  return viewTarget(secretBox, changed);
}

function touchesSettings(given: GivenTargetChange): boolean {
  return (
    given.url !== undefined ||
    given.headers !== undefined ||
    given.contentType !== undefined ||
    given.timeoutMs !== undefined
  );
}

/** Undefined keeps, null resets. */
function part<Value>(given: Value | null | undefined, kept: Value, byDefault: Value): Value {
  if (given === undefined) return kept;
  return given ?? byDefault;
}

function mergeSettings(
  settings: TargetSettings[TargetKindName],
  given: GivenTargetChange,
): TargetSettings[TargetKindName] {
  return {
    url: given.url ?? settings.url,
    headers: settings.headers,
    contentType: part(given.contentType, settings.contentType, defaultContentType),
    timeoutMs: part(given.timeoutMs, settings.timeoutMs, defaultTimeoutMs),
  };
}

function newHeaders(given: GivenTargetChange["headers"], kept: WebhookSettings["headers"]) {
  return given === undefined
    ? { headers: kept, problems: [] }
    : fillHeaderValues(given ?? {}, kept);
}

function checkSettings(
  targetKinds: TargetKinds,
  target: Target,
  settings: TargetSettings[TargetKindName],
): Promise<readonly Problem[]> {
  return targetKinds[target.kind].check(settings, target.accountId);
}
