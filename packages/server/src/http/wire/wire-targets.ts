import type { AccessKey } from "../../domain/access.ts";
import type { Backoff, RetryPolicy } from "../../domain/retry-policy.ts";
import { formatTime } from "../../domain/times.ts";
import type { TargetView, TargetWithSecret } from "../../operations/targets/target-view.ts";

/** A target as the API shows it: flat, with the settings of its kind among the other fields. */
export function wireTarget(target: TargetView) {
  return {
    targetId: target.targetId,
    kind: target.kind,
    url: target.settings.url,
    headers: { ...target.settings.headers },
    contentType: target.settings.contentType,
    timeoutMs: target.settings.timeoutMs,
    retryPolicy: wireRetryPolicy(target.retryPolicy),
    maxConcurrency: target.maxConcurrency,
    rateLimit: target.rateLimit,
    paused: target.paused,
    creationTime: formatTime(target.creationTime),
    updateTime: formatTime(target.updateTime),
  };
}

export function wireTargetWithSecret(target: TargetWithSecret) {
  return { ...wireTarget(target), secret: target.secret };
}

function wireRetryPolicy(policy: RetryPolicy) {
  return {
    ...policy,
    backoff: wireBackoff(policy.backoff),
    finalStatuses: [...policy.finalStatuses],
  };
}

function wireBackoff(backoff: Backoff) {
  return backoff.kind === "list" ? { ...backoff, delaysMs: [...backoff.delaysMs] } : backoff;
}

export function wireKey(key: AccessKey) {
  return {
    keyId: key.keyId,
    name: key.name,
    scopes: [...key.scopes],
    creationTime: formatTime(key.creationTime),
  };
}
