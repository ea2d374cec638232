/** One message of PostgreSQL's protocol. */
export interface Frame {
  /** Its letter; empty for the first ones of a client, which have none. */
  readonly type: string;
  /** All of it, as it travels. */
  readonly bytes: Buffer;
  /** What comes after letter and length. */
  readonly body: Buffer;
}

const lengthBytes = 4;

/** Cuts what comes in pieces into messages. */
export class FrameSplitter {
  #rest: Buffer = Buffer.alloc(0);
  readonly #hasLetter: () => boolean;

  /** `hasLetter` is asked before each message: those before a login have none. */
  constructor(hasLetter: () => boolean) {
    this.#hasLetter = hasLetter;
  }

  *split(bytes: Uint8Array): Generator<Frame, void> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const letterBytes = this.#hasLetter() ? 1 : 0;
      const headBytes = letterBytes + lengthBytes;
      if (this.#rest.length < headBytes) return;
      // The length counts itself, and not the letter.
      const end = letterBytes + this.#rest.readUInt32BE(letterBytes);
      if (this.#rest.length < end) return;
      const frame = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      yield {
        type: frame.toString("latin1", 0, letterBytes),
        bytes: frame,
        body: frame.subarray(headBytes),
      };
    }
  }
}

/** The text up to the next NUL, and where the one after it begins. */
export function readText(body: Buffer, from: number): { text: string; next: number } {
  const end = body.indexOf(0, from);
  return { text: body.toString("utf8", from, end), next: end + 1 };
}
