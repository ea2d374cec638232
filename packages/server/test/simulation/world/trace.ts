import { createHash } from "node:crypto";

/** A hash of everything that happened, in order. Two runs are the same if their hashes are. */
export class Trace {
  readonly #hash = createHash("sha256");
  readonly #last: string[] = [];
  readonly #keep: number;
  #lines = 0;

  constructor(keep = 0) {
    this.#keep = keep;
  }

  note(at: number, what: string): void {
    const line = `${at.toFixed(3)} ${what}\n`;
    this.#hash.update(line);
    this.#lines++;
    if (this.#keep === 0) return;
    this.#last.push(line);
    if (this.#last.length > 2 * this.#keep) this.#last.splice(0, this.#keep);
  }

  get lines(): number {
    return this.#lines;
  }

  /** The last lines, if they were kept. */
  get tail(): readonly string[] {
    return this.#last.slice(-this.#keep);
  }

  digest(): string {
    return this.#hash.copy().digest("hex").slice(0, 16);
  }
}
