export interface PlacesInTurnOptions {
  /** How many callers may be inside at once. */
  readonly places: number;
  /** How many of the places one name may hold; all by default. */
  readonly placesOfOne?: number;
}

/** Called when a place is free. It gets the function that gives the place back, and calls it once. */
type Enter = (giveBack: () => void) => void;

/**
 * A limited number of places: when all are taken, callers wait. Names, such as accounts, take turns.
 * However many callers of one name wait, a caller of another name waits behind at most one of them.
 * Callers of one name keep their order.
 */
export class PlacesInTurn {
  readonly #placesOfOne: number;
  readonly #takenBy = new Map<string, number>();
  /** The waiting callers, by name. The first name has the next turn. */
  readonly #waiting = new Map<string, Set<Enter>>();
  #free: number;

  constructor({ places, placesOfOne = places }: PlacesInTurnOptions) {
    this.#free = places;
    this.#placesOfOne = placesOfOne;
  }

  /** How many callers wait. */
  get waiting(): number {
    let count = 0;
    for (const line of this.#waiting.values()) count += line.size;
    return count;
  }

  /**
   * Enters at once if there is room, otherwise at this caller's turn. Returns a function that leaves
   * the line. It does nothing for a caller that has entered.
   */
  enter(name: string, enter: Enter): () => void {
    if (this.#hasRoomFor(name)) {
      this.#letIn(name, enter);
      return () => {};
    }
    const line = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, line.add(enter));
    return () => this.#leaveLine(name, enter);
  }

  /** Runs the work in a place. If there is room, the work begins before this returns. */
  run<Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> {
    const begin = async (): Promise<Answer> => work();
    return new Promise((resolve, reject) => {
      this.enter(name, (giveBack) => void begin().finally(giveBack).then(resolve, reject));
    });
  }

  #hasRoomFor(name: string): boolean {
    return this.#free > 0 && (this.#takenBy.get(name) ?? 0) < this.#placesOfOne;
  }

  #letIn(name: string, enter: Enter): void {
    this.#free--;
    this.#takenBy.set(name, (this.#takenBy.get(name) ?? 0) + 1);
    enter(() => {
      this.#free++;
      const left = this.#takenBy.get(name)! - 1;
      if (left > 0) this.#takenBy.set(name, left);
      else this.#takenBy.delete(name);
      this.#letNextIn();
    });
  }

  #letNextIn(): void {
    for (const [name, line] of this.#waiting) {
      if (!this.#hasRoomFor(name)) continue;
      const [first] = line;
      this.#leaveLine(name, first!);
      // The next caller of this name waits behind one of every other name.
      if (this.#waiting.delete(name)) this.#waiting.set(name, line);
      return this.#letIn(name, first!);
    }
  }

  #leaveLine(name: string, enter: Enter): void {
    const line = this.#waiting.get(name);
    line?.delete(enter);
    if (line?.size === 0) this.#waiting.delete(name);
  }
}
