import type { Clock } from "../../platform/clock.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { StoreUnavailable } from "../../storage/store.ts";

export interface ChangesInTurnOptions {
  readonly clock: Pick<Clock, "monotonic">;
}

/** Only other nodes, and callers who have just come, can be faster so often. */
const mostTries = 10;
/** Those in a line behind a store that does not answer do not wait for it one after the other. */
const longestWaitMs = 5_000;

/**
 * For changes that depend on what is there: each try reads it, computes what it becomes, and writes that only if nobody else
 * has changed it meanwhile. Concurrent changes of one thing therefore take effect one after the other, each as a whole.
 * Whoever was too slow gets in line, because all of them trying again at once would mostly disturb each other.
 */
export class ChangesInTurn {
  readonly #clock: ChangesInTurnOptions["clock"];
  readonly #lines = new PlacesInTurn({ places: Number.POSITIVE_INFINITY, placesOfOne: 1 });

  constructor({ clock }: ChangesInTurnOptions) {
    this.#clock = clock;
  }

  /** `tryOnce` answers with undefined if somebody else has changed the thing since it was read. */
  async make<Answer>(thing: string, tryOnce: () => Promise<Answer | undefined>): Promise<Answer> {
    const answer = await tryOnce();
    if (answer !== undefined) return answer;
    const since = this.#clock.monotonic();
    return this.#lines.run(thing, async () => {
      for (let tries = 1; tries < mostTries; tries++) {
        if (this.#clock.monotonic() - since > longestWaitMs) break;
        const changed = await tryOnce();
        if (changed !== undefined) return changed;
      }
      throw new StoreUnavailable(`${thing} kept changing while this change was being made`);
    });
  }
}
