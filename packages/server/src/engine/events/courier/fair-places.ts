import { FairShare } from "../../../platform/fair-share.ts";

/** Called when there is a place. It gets the function that gives the place back, and calls it once. */
type Enter = (giveBack: () => void) => void;

/**
 * A limited number of places that accounts share: one may have half of what the others leave. So an account that has
 * none finds one, as long as there are fewer accounts than places. Who finds no place waits, and accounts take turns.
 */
export class FairPlaces {
  readonly #share: FairShare;
  readonly #heldBy = new Map<string, number>();
  /** The first account has the next turn. */
  readonly #waiting = new Map<string, Set<Enter>>();

  constructor(limit: number) {
    this.#share = new FairShare({ limit, guaranteed: 0 });
  }

  /**
   * Enters at once if there is room, otherwise at its turn. Returns a function that leaves the line, which does nothing
   * after the entry.
   */
  enter(accountId: string, enter: Enter): () => void {
    const line = this.#waiting.get(accountId);
    if (line === undefined && this.#take(accountId)) {
      enter(this.#giveBackOnce(accountId));
      return () => {};
    }
    this.#waiting.set(accountId, (line ?? new Set<Enter>()).add(enter));
    return () => this.#leaveLine(accountId, enter);
  }

  #take(accountId: string): boolean {
    const held = this.#heldBy.get(accountId) ?? 0;
    if (!this.#share.take(1, held)) return false;
    this.#heldBy.set(accountId, held + 1);
    return true;
  }

  #giveBackOnce(accountId: string): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#share.giveBack(1);
      const left = this.#heldBy.get(accountId)! - 1;
      if (left === 0) this.#heldBy.delete(accountId);
      else this.#heldBy.set(accountId, left);
      this.#letIn();
    };
  }

  /** Lets in everybody whom the place that came free has made room for. */
  #letIn(): void {
    for (const [accountId, line] of [...this.#waiting]) {
      const [first] = line;
      if (first === undefined || !this.#take(accountId)) continue;
      this.#leaveLine(accountId, first);
      // The next of this account waits behind one of every other account.
      if (this.#waiting.delete(accountId)) this.#waiting.set(accountId, line);
      first(this.#giveBackOnce(accountId));
    }
  }

  #leaveLine(accountId: string, enter: Enter): void {
    const line = this.#waiting.get(accountId);
    line?.delete(enter);
    if (line?.size === 0) this.#waiting.delete(accountId);
  }
}
