import type { Clock } from "../../platform/clock.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { Random } from "../../platform/random.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";
import { StoreUnavailable } from "../../storage/store.ts";

export interface ChangesInTurnOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly random: Pick<Random, "fraction">;
}

/** Only other nodes can be faster so often. */
const mostTries = 10;
/** After a lost try, so that two nodes do not go on side by side. */
const longestPauseMs = 20;
/** Those in a line behind a store that does not answer do not wait for it one after the other. */
const longestWaitMs = 5_000;

/**
 * For changes that depend on what is there: each try reads it, computes what it becomes, and writes that only if nobody else
 * has changed it meanwhile. Concurrent changes of one thing therefore take effect one after the other, each as a whole.
 * Those at this node wait in a line, because all of them trying at once would mostly disturb each other.
 */
export class ChangesInTurn {
  readonly #options: ChangesInTurnOptions;
  readonly #lines = new PlacesInTurn({ places: Number.POSITIVE_INFINITY, placesOfOne: 1 });

  constructor(options: ChangesInTurnOptions) {
    this.#options = options;
  }

  /** `tryOnce` answers with undefined if somebody else has changed the thing since it was read. */
  make<Answer>(thing: string, tryOnce: () => Promise<Answer | undefined>): Promise<Answer> {
    const { clock, timers, random } = this.#options;
    const since = clock.monotonic();
    return this.#lines.run(thing, async () => {
      for (let tries = 0; tries < mostTries; tries++) {
        if (clock.monotonic() - since > longestWaitMs) break;
        if (tries > 0) await pause(timers, random.fraction() * longestPauseMs);
        const answer = await tryOnce();
        if (answer !== undefined) return answer;
      }
      throw new StoreUnavailable(`${thing} kept changing while this change was being made`);
    });
  }
}
