import { pause } from "../../platform/timers.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Timers } from "../../platform/timers.ts";
import type { Store } from "../../storage/store.ts";

export interface WaitingMessages {
  readonly pending: number;
  readonly overdue: number;
  /** How long the one that has waited longest was due; 0: none is. */
  readonly oldestOverdueMs: number;
}

export interface CountWaitingOptions {
  readonly store: Pick<Store, "counts" | "countOverdue" | "clock">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly knowPending?: (pending: number) => void;
}

/** With so many counted, the count looks only at the first message of each further target. */
const enough = 100_000;
/** Between two slices it rests so many times as long as the last one took. */
const rest = 3;

/** Counts what waits in the store, a slice at a time. Most of the store's time is left to others. */
export async function countWaiting({
  store,
  clock,
  timers,
  knowPending,
}: CountWaitingOptions): Promise<WaitingMessages> {
  const { pending } = await store.counts();
  knowPending?.(pending);
  const until = store.clock.now();
  let overdue = 0;
  let oldest = until;
  let after: string | null = null;
  do {
    const began = clock.monotonic();
    const mostOfOne = Math.max(1, enough - overdue);
    const slice = await store.countOverdue({ until, after, mostOfOne });
    overdue += slice.count;
    oldest = Math.min(oldest, slice.oldestDueAt ?? until);
    after = slice.reached;
    if (after !== null) await pause(timers, rest * (clock.monotonic() - began));
  } while (after !== null);
  return { pending, overdue, oldestOverdueMs: until - oldest };
}
