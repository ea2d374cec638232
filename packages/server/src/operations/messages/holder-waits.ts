import type { Clock } from "../../platform/clock.ts";
import type { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { Timers } from "../../platform/timers.ts";
import { pause } from "../../platform/timers.ts";
import type { Store } from "../../storage/store.ts";

export interface HolderWaitsOptions {
  readonly store: Pick<Store, "rescheduleMessage">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly holderWaits: Pick<PlacesInTurn, "enter">;
}

/** How many holders of keys an account's calls wait for at once. The others wait in line. */
export const holderWaitPlaces = { places: 1_024, placesOfOne: 16 };

export interface HolderWait {
  readonly accountId: string;
  /** The holders. Null: one that changed too often while the store looked at it. */
  readonly messageIds: ReadonlySet<string | null>;
  /** By the monotonic clock. */
  readonly deadline: number;
  /** How often the call has waited before. */
  readonly waitedBefore: number;
  /** Aborts when the caller no longer waits for the answer. */
  readonly callerGone: AbortSignal | undefined;
}

/**
 * Resolves when no attempt at these messages is in flight, at the deadline, or when the caller is gone. Also
 * a bit later, if the call has waited before or a holder is not known: then it may have to ask often.
 */
export async function attemptsOver(
  options: HolderWaitsOptions,
  { accountId, messageIds, deadline, waitedBefore, callerGone }: HolderWait,
): Promise<void> {
  const { clock, timers } = options;
  const over = new AbortController();
  const end = callerGone ? AbortSignal.any([over.signal, callerGone]) : over.signal;
  const leftMs = deadline - clock.monotonic();
  const waits = [...messageIds]
    .filter((messageId) => messageId !== null)
    .map((messageId) => attemptOver(options, { accountId, messageId }, deadline, end));
  if (messageIds.has(null) || waitedBefore > 0) {
    waits.push(pause(timers, Math.min(leftMs, pauseMs(waitedBefore)), end));
  }
  try {
    await Promise.race([Promise.all(waits), pause(timers, leftMs, end)]);
  } finally {
    over.abort();
  }
}

const shortestPauseMs = 20;
const longestPauseMs = 250;

function pauseMs(waitedBefore: number): number {
  return Math.min(longestPauseMs, shortestPauseMs * 2 ** waitedBefore);
}

/** No attempt could start, so this is always refused. */
const impossible = { deliveryTime: 0, bound: { notAfter: 0 }, whileScheduled: true } as const;

/**
 * A reschedule waits for the end of an attempt, and the failed message then leaves its caller a moment before it
 * is attempted again. The place in the store is free when that wait has ended, also if the caller is gone.
 */
function attemptOver(
  { store, clock, holderWaits }: HolderWaitsOptions,
  ref: { readonly accountId: string; readonly messageId: string },
  deadline: number,
  end: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const leaveLine = holderWaits.enter(ref.accountId, (giveBack) => {
      const waitMs = Math.max(0, deadline - clock.monotonic());
      const wait = store.rescheduleMessage({ ...ref, ...impossible, waitMs });
      void wait.finally(giveBack).then(() => resolve(), reject);
    });
    end.addEventListener("abort", leaveLine, { once: true });
  });
}
