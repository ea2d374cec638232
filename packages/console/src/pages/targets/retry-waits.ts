import type { RetryPolicy } from "@postdate/client";

/** The wait before each further attempt, without its jitter. After the end of a list its last delay repeats. */
export function retryWaits({ maxAttempts, backoff }: RetryPolicy): number[] {
  return Array.from({ length: Math.max(0, maxAttempts - 1) }, (_, index) =>
    backoff.kind === "list"
      ? (backoff.delaysMs[index] ?? backoff.delaysMs.at(-1) ?? 0)
      : Math.min(backoff.maxMs, backoff.initialMs * backoff.factor ** index),
  );
}
