export interface PlacesInTurnOptions {
  /** How many calls may run at once. */
  readonly places: number;
  /** How many of the places one name may have. The default is all. */
  readonly placesOfOne?: number;
}

/** Receives a place, as the function that gives it back. The receiver calls that function once. */
type Enter = (giveBack: () => void) => void;

/**
 * Lets a limited number in at once and makes the others wait. Names, such as accounts, take turns. However
 * many entries of one name wait, an entry of another name waits behind at most one of them. Entries of one
 * name keep their order.
 */
export class PlacesInTurn {
  readonly #placesOfOne: number;
  readonly #takenBy = new Map<string, number>();
  /** By name. The name whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<Enter>>();
  #free: number;

  constructor({ places, placesOfOne = places }: PlacesInTurnOptions) {
    this.#free = places;
    this.#placesOfOne = placesOfOne;
  }

  /**
   * Enters at once if there is room, or else when its turn comes. Returns a function that leaves the line
   * and does nothing after the entry.
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
      // The name goes to the end, so its next entry waits behind one entry of every other name.
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
