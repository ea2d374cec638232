interface Line<Entry> {
  readonly waiting: { readonly entry: Entry; readonly weight: number }[];
  /**
   * How much the owner may still take in this turn. Below zero, it has already taken some of its later
   * turns.
   */
  credit: number;
}

/**
 * Entries that wait, in one line for each owner. Owners take turns and get the same amount in each turn, so
 * no owner waits for everything that another one has brought. Each owner's entries keep their order.
 */
export class FairLines<Entry> {
  readonly #lines = new Map<string, Line<Entry>>();
  readonly #turnWeight: number;
  #size = 0;
  #weight = 0;

  constructor(turnWeight: number) {
    this.#turnWeight = turnWeight;
  }

  get size(): number {
    return this.#size;
  }

  get weight(): number {
    return this.#weight;
  }

  add(owner: string, entry: Entry, weight: number): void {
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, { waiting: [{ entry, weight }], credit: 0 });
    else line.waiting.push({ entry, weight });
    this.#size++;
    this.#weight += weight;
  }

  /**
   * Takes entries up to the given weight, while owners take turns. The first entry always goes, whatever it
   * weighs.
   */
  take(mostWeight: number): Entry[] {
    const taken: Entry[] = [];
    let left = mostWeight;
    for (const [owner, line] of this.#inTurn()) {
      while (line.credit > 0 && line.waiting.length > 0) {
        const { weight } = line.waiting[0]!;
        if (taken.length > 0 && weight > left) return taken;
        left -= weight;
        line.credit -= weight;
        taken.push(this.#shift(line));
      }
      this.#lines.delete(owner);
      if (line.waiting.length > 0) this.#lines.set(owner, line);
    }
    return taken;
  }

  takeAll(): Entry[] {
    const all = [...this.#lines.values()].flatMap(({ waiting }) =>
      waiting.map(({ entry }) => entry),
    );
    this.#lines.clear();
    this.#size = 0;
    this.#weight = 0;
    return all;
  }

  /** Continues a turn that a full batch has cut short. */
  *#inTurn(): Generator<[string, Line<Entry>]> {
    for (let next = this.#first(); next !== undefined; next = this.#first()) {
      const [, line] = next;
      if (line.credit <= 0) line.credit += this.#turnWeight;
      yield next;
    }
  }

  #first(): [string, Line<Entry>] | undefined {
    return this.#lines.entries().next().value;
  }

  #shift(line: Line<Entry>): Entry {
    const { entry, weight } = line.waiting.shift()!;
    this.#size--;
    this.#weight -= weight;
    return entry;
  }
}
