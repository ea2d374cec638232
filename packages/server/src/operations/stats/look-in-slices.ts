import type { Clock } from "../../platform/clock.ts";
import type { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";

export interface SliceOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** Accounts take turns at each slice. */
  readonly slicesInTurn: Pick<PlacesInTurn, "run">;
  /** Aborts when the server stops and cannot wait any longer. */
  readonly stopping: AbortSignal;
}

/** At any time the store reads two slices at most, and one of an account. */
export const slicePlaces = { places: 2, placesOfOne: 1 };

/** So long a caller waits for the end. After that the work is done in the background. */
const hurryMs = 500;
/** In the background it rests so many times as long as it has worked. */
const longRest = 3;

interface Slice {
  readonly reached: string | null;
}

export interface Look<Read extends Slice> {
  readonly accountId: string;
  readonly read: (after: string | null) => Promise<Read>;
  /** Takes what one slice has found, and how long it took. */
  readonly found: (slice: Read, workedMs: number) => void;
  readonly isOver: () => boolean;
}

/** Reads slice by slice until it is over. Answers whether nothing was left. */
export async function lookInSlices<Read extends Slice>(
  { clock, timers, slicesInTurn, stopping }: SliceOptions,
  { accountId, read, found, isOver }: Look<Read>,
): Promise<boolean> {
  const inBackgroundAt = clock.monotonic() + hurryMs;
  let after: string | null = null;
  do {
    if (stopping.aborted || isOver()) return false;
    after = await slicesInTurn.run(accountId, async () => {
      const began = clock.monotonic();
      const slice = await read(after);
      const workedMs = clock.monotonic() - began;
      found(slice, workedMs);
      // Rests at least for as long as it worked, so that most of the time is left to others.
      const restMs = workedMs * (clock.monotonic() < inBackgroundAt ? 1 : longRest);
      if (slice.reached !== null) await pause(timers, restMs, stopping);
      return slice.reached;
    });
  } while (after !== null);
  return true;
}
