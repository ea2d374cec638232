/** What one list costs besides its characters. */
const ownWeight = 200;
/** About 5,000 expressions, or 500 long lists of exceptions: some ten megabytes. */
const mostWeight = 1_200_000;
/** A longer list is read again each time. */
const longestKept = 2_000;

/** What lists of texts mean, for those that were read lately. Many schedules have the same expression. */
export class TextMemo<Meaning> {
  readonly #known = new Map<string, Meaning>();
  #weight = 0;
  readonly #read: (texts: readonly string[]) => Meaning;

  constructor(read: (texts: readonly string[]) => Meaning) {
    this.#read = read;
  }

  get(texts: readonly string[]): Meaning {
    // No text that can be read has a line break in it.
    const key = texts.length === 1 ? texts[0]! : texts.join("\n");
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const meaning = this.#read(texts);
    if (key.length <= longestKept) this.#keep(key, meaning);
    return meaning;
  }

  #keep(key: string, meaning: Meaning): void {
    this.#weight += ownWeight + key.length;
    if (this.#weight > mostWeight) {
      this.#known.clear();
      this.#weight = ownWeight + key.length;
    }
    this.#known.set(key, meaning);
  }
}
