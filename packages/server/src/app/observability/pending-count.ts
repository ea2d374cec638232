import type { Clock } from "../../platform/clock.ts";
import { createRememberedRead } from "../../platform/remembered-read.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";

export interface PendingCountOptions {
  readonly count: () => Promise<number>;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
}

export interface PendingCount {
  /** NaN when the store failed, or before the first count. */
  readonly pending: number;
  /** How long ago it was counted. */
  readonly ageMs: number;
}

const countEveryMs = 10_000;
const patienceMs = 1_000;

/**
 * Counts on demand, at most once in a while, and shares one count among all callers. Anybody may scrape
 * the metrics as often as they like, and a count may read a hundred thousand rows.
 */
export function createPendingCount({
  count,
  clock,
  timers,
}: PendingCountOptions): () => Promise<PendingCount> {
  let last: { readonly pending: number; readonly beganAt: number } | undefined;
  const counts = createRememberedRead({
    async read() {
      const beganAt = clock.monotonic();
      last = { pending: await count(), beganAt };
      return last;
    },
    clock,
    timers,
    freshMs: countEveryMs,
    usableMs: countEveryMs,
    spacingMs: countEveryMs,
  });
  const uncounted = { pending: Number.NaN, beganAt: Number.NaN };

  return async () => {
    const answered = new AbortController();
    // The other metrics must not wait for a store that does not answer.
    const counting = counts.get().catch(() => uncounted);
    const late = pause(timers, patienceMs, answered.signal).then(() => last ?? uncounted);
    const { pending, beganAt } = await Promise.race([counting, late]);
    answered.abort();
    return { pending, ageMs: clock.monotonic() - beganAt };
  };
}
