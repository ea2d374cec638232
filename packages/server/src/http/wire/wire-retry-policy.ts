import type { Backoff, RetryPolicy } from "../../domain/retry-policy.ts";

export function wireRetryPolicy(policy: RetryPolicy) {
  return {
    ...policy,
    backoff: wireBackoff(policy.backoff),
    finalStatuses: [...policy.finalStatuses],
  };
}

function wireBackoff(backoff: Backoff) {
  return backoff.kind === "list" ? { ...backoff, delaysMs: [...backoff.delaysMs] } : backoff;
}
