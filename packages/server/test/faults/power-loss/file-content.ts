export type FileChange =
  | { readonly kind: "write"; readonly at: number; readonly data: Buffer }
  | { readonly kind: "truncate"; readonly at: number };

/** The bytes of a file, which grow and shrink in place. */
export class FileContent {
  #bytes: Buffer;
  #length: number;

  constructor(bytes: Buffer) {
    this.#bytes = Buffer.from(bytes);
    this.#length = bytes.length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  change(changes: Iterable<FileChange>): this {
    for (const change of changes) {
      if (change.kind === "write") {
        this.#resize(Math.max(this.#length, change.at + change.data.length));
        change.data.copy(this.#bytes, change.at);
      } else this.#resize(change.at);
    }
    return this;
  }

  #resize(length: number): void {
    if (length > this.#bytes.length) {
      const grown = Buffer.alloc(length * 2);
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    } else if (length < this.#length) this.#bytes.fill(0, length, this.#length);
    this.#length = length;
  }
}
