/** In a longer array, removing an item from the middle costs more than comparing all the others. */
const longestChunk = 256;

/** Items in the order of a comparison. No two of them compare as equal. */
export class SortedList<Item> {
  readonly #compare: (one: Item, other: Item) => number;
  /** The list in pieces, one after the other. None is empty. */
  readonly #chunks: Item[][] = [];
  #length = 0;

  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#length;
  }

  get first(): Item | undefined {
    return this.#chunks[0]?.[0];
  }

  get last(): Item | undefined {
    return this.#chunks.at(-1)?.at(-1);
  }

  has(item: Item): boolean {
    const found = this.firstFrom(item);
    return found !== undefined && this.#compare(found, item) === 0;
  }

  /** The first item that is not before the given one. */
  firstFrom(item: Item): Item | undefined {
    const chunk = this.#chunks[this.#chunkOf(item)];
    return chunk?.[this.#indexIn(chunk, item)];
  }

  add(item: Item): void {
    if (this.has(item)) throw new Error("it is in the list already");
    this.#length++;
    const index = Math.min(this.#chunkOf(item), this.#chunks.length - 1);
    const chunk = this.#chunks[index];
    if (chunk === undefined) {
      this.#chunks.push([item]);
      return;
    }
    chunk.splice(this.#indexIn(chunk, item), 0, item);
    if (chunk.length > longestChunk) {
      this.#chunks.splice(index + 1, 0, chunk.splice(longestChunk / 2));
    }
  }

  remove(item: Item): void {
    if (!this.has(item)) throw new Error("it is not in the list");
    this.#length--;
    const index = this.#chunkOf(item);
    const chunk = this.#chunks[index]!;
    chunk.splice(this.#indexIn(chunk, item), 1);
    if (chunk.length === 0) this.#chunks.splice(index, 1);
  }

  /** Yields the items in order. The list must not change meanwhile. */
  *all(): Generator<Item> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  /** Like `all`, but starts at the first item that is not before the given one. */
  *from(item: Item): Generator<Item> {
    const start = this.#chunkOf(item);
    for (let index = start; index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index]!;
      const first = index === start ? this.#indexIn(chunk, item) : 0;
      for (let at = first; at < chunk.length; at++) yield chunk[at]!;
    }
  }

  /** The first items, at most `limit`, that all satisfy the condition. */
  firstWhile(limit: number, isWanted: (item: Item) => boolean): Item[] {
    const found: Item[] = [];
    for (const chunk of this.#chunks) {
      for (const item of chunk) {
        if (found.length >= limit || !isWanted(item)) return found;
        found.push(item);
      }
    }
    return found;
  }

  /** The chunk with the first item that is not before the given one. */
  #chunkOf(item: Item): number {
    return firstIndex(this.#chunks.length, (index) => {
      const last = this.#chunks[index]!.at(-1)!;
      return this.#compare(last, item) >= 0;
    });
  }

  #indexIn(chunk: readonly Item[], item: Item): number {
    return firstIndex(chunk.length, (index) => this.#compare(chunk[index]!, item) >= 0);
  }
}

/** The first index for which the condition holds. It holds for all later indexes too. */
function firstIndex(count: number, isThere: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isThere(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
