import type { Clock } from "../../platform/clock.ts";
import type { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";

export interface CountOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** Accounts take turns at each look, so that no preview delays others for longer than one look. */
  readonly looksInTurn: Pick<PlacesInTurn, "run">;
  /** Aborts when the server stops and cannot wait any longer. */
  readonly stopping: AbortSignal;
}

/** Who waits for the count. */
export interface Asker {
  readonly accountId: string;
  readonly gone: AbortSignal;
}

/** What there is in a part of what is to be counted. */
export interface Counted<Item, Place> {
  readonly count: number;
  readonly sample: readonly Item[];
  /** Null: there is nothing behind it. */
  readonly lookedUntil: Place | null;
}

const mostCounted = 100_000;
const sampleSize = 10;
/** A filter may match a few of millions. Whoever wants to know more goes on from where this has ended. */
const longestMs = 700;

/** Counts look by look, behind the place where an earlier count has ended, and ends early once nobody waits for it. */
export async function countInLooks<Item, Place>(
  { clock, timers, looksInTurn, stopping }: CountOptions,
  { accountId, gone }: Asker,
  begin: Place | null,
  look: (after: Place | null, sample: number) => Promise<Counted<Item, Place>>,
): Promise<Counted<Item, Place>> {
  const deadline = clock.monotonic() + longestMs;
  const isOver = (): boolean => stopping.aborted || gone.aborted || clock.monotonic() >= deadline;
  const sample: Item[] = [];
  let count = 0;
  let after = begin;
  do {
    const from = after;
    const seen: Counted<Item, Place> = await looksInTurn.run(accountId, async () => {
      if (stopping.aborted || gone.aborted) return { count: 0, sample: [], lookedUntil: from };
      const began = clock.monotonic();
      const found = await look(from, sampleSize - sample.length);
      // Rests for as long as it worked, so that half of the store's time is left to others.
      if (found.lookedUntil !== null) await pause(timers, clock.monotonic() - began, gone);
      return found;
    });
    count += seen.count;
    sample.push(...seen.sample);
    after = seen.lookedUntil;
  } while (after !== null && count < mostCounted && !isOver());
  return { count, sample, lookedUntil: after };
}

/** At any time the store looks for two previews at most, and for one of an account. */
export const previewPlaces = { places: 2, placesOfOne: 1 };
