import { setImmediate as nextIteration } from "node:timers/promises";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";

/** Writes a piece of an answer when it is its turn. */
export type WriteInTurn = <Piece>(write: () => Piece) => Promise<Piece>;

/**
 * One piece is written at a time, and accounts take turns. Between two pieces the service does other things: otherwise the
 * many readers of one account who catch up would all write before anybody else is answered.
 */
export class PieceTurns {
  readonly #places = new PlacesInTurn({ places: 1 });

  of(accountId: string): WriteInTurn {
    return (write) =>
      this.#places.run(accountId, async () => {
        const piece = write();
        await nextIteration();
        return piece;
      });
  }
}
