import type { Clock } from "../../platform/clock.ts";
import { createRememberedRead } from "../../platform/remembered-read.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";
import type { WaitingMessages } from "./count-waiting.ts";

export interface RecentCountsOptions {
  /** Tells as soon as it knows how many messages are pending, which takes no time. */
  readonly count: (knowPending: (pending: number) => void) => Promise<WaitingMessages>;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
}

/** The counts are NaN when the store failed or has not answered for a minute, or before the first count. */
export interface RecentCounts extends WaitingMessages {
  /** How long ago it was counted. */
  readonly ageMs: number;
}

const countEveryMs = 10_000;
const patienceMs = 1_000;
/** What the store has not counted for longer is not known any more. */
const longestShownMs = 60_000;
const unknown = Number.NaN;

interface Counted {
  readonly counts: WaitingMessages;
  readonly beganAt: number;
}

const uncounted: Counted = {
  counts: { pending: unknown, overdue: unknown, oldestOverdueMs: unknown },
  beganAt: unknown,
};

/**
 * Counts on demand, at most once in a while, and shares one count among all callers. Anybody may scrape
 * the metrics as often as they like, and a count may read a hundred thousand rows.
 */
export function createRecentCounts({
  count,
  clock,
  timers,
}: RecentCountsOptions): () => Promise<RecentCounts> {
  let last: Counted | undefined;
  const reads = createRememberedRead({
    async read() {
      const beganAt = clock.monotonic();
      const counts = await count((pending) => {
        last = { counts: { ...(last ?? uncounted).counts, pending }, beganAt };
      });
      last = { counts, beganAt };
      return last;
    },
    clock,
    timers,
    freshMs: countEveryMs,
    usableMs: countEveryMs,
    spacingMs: countEveryMs,
  });

  return async () => {
    const answered = new AbortController();
    // The other metrics must not wait for a store that does not answer.
    const counting = reads.get().catch(() => uncounted);
    const late = pause(timers, patienceMs, answered.signal).then(() =>
      last !== undefined && clock.monotonic() - last.beganAt <= longestShownMs ? last : uncounted,
    );
    const { counts, beganAt } = await Promise.race([counting, late]);
    answered.abort();
    return { ...counts, ageMs: clock.monotonic() - beganAt };
  };
}
