export interface PlacesInTurnOptions {
  /** How many may be inside at once. */
  readonly places: number;
  /** How many of them one name may have; left out: all. */
  readonly placesOfOne?: number;
}

/** Is called with a place, as the function that gives it back. That is called once. */
type Enter = (giveBack: () => void) => void;

/**
 * So many at once, the others wait. Names, such as accounts, take turns: however many of one name wait,
 * one of another name is behind one of them at most. Those of one name keep their order.
 */
export class PlacesInTurn {
  readonly #placesOfOne: number;
  readonly #takenBy = new Map<string, number>();
  /** By name; the name whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<Enter>>();
  #free: number;

  constructor({ places, placesOfOne = places }: PlacesInTurnOptions) {
    this.#free = places;
    this.#placesOfOne = placesOfOne;
  }

  /**
   * Enters at once where there is room, and otherwise when it is this one's turn. Answers with the
   * function that leaves the line, which does nothing for one that has entered.
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

  /** Does the work in a place. Where there is room it begins before this returns. */
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
      // The next one of this name waits behind one of every other name.
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
