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

/** One look of the store at a part of what is to be counted. */
interface Look<Item, Place> {
  readonly count: number;
  readonly sample: readonly Item[];
  /** Null: there is nothing behind it. */
  readonly lookedUntil: Place | null;
}

export interface Counted<Item> {
  readonly count: number;
  /** False: there may be more. */
  readonly exact: boolean;
  readonly sample: readonly Item[];
}

const mostCounted = 100_000;
const sampleSize = 10;
/** A filter may match a few of millions. */
const longestMs = 5_000;

/** Counts look by look, from the first place on, and ends early once nobody waits for the answer. */
export async function countInLooks<Item, Place>(
  { clock, timers, looksInTurn, stopping }: CountOptions,
  { accountId, gone }: Asker,
  look: (after: Place | null, sample: number) => Promise<Look<Item, Place>>,
): Promise<Counted<Item>> {
  const deadline = clock.monotonic() + longestMs;
  const isOver = (): boolean => stopping.aborted || gone.aborted || clock.monotonic() >= deadline;
  const sample: Item[] = [];
  let count = 0;
  let after: Place | null = null;
  do {
    const from = after;
    const seen: Look<Item, Place> = await looksInTurn.run(accountId, async () => {
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
  return {
    count: Math.min(count, mostCounted),
    exact: after === null && count <= mostCounted,
    sample,
  };
}

/** At any time the store looks for two previews at most, and for one of an account. */
export const previewPlaces = { places: 2, placesOfOne: 1 };
