/** One message of PostgreSQL's protocol. */
export interface Frame {
  /** Its type letter. Empty for a client's first messages, which have none. */
  readonly type: string;
  /** The whole message, as it was sent. */
  readonly bytes: Buffer;
  /** The part after the letter and the length. */
  readonly body: Buffer;
}

const lengthBytes = 4;

/** Splits the incoming bytes into messages. */
export class FrameSplitter {
  #rest: Buffer = Buffer.alloc(0);
  readonly #hasLetter: () => boolean;

  /** Calls `hasLetter` before each message, because messages before a login have no letter. */
  constructor(hasLetter: () => boolean) {
    this.#hasLetter = hasLetter;
  }

  *split(bytes: Uint8Array): Generator<Frame, void> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const letterBytes = this.#hasLetter() ? 1 : 0;
      const headBytes = letterBytes + lengthBytes;
      if (this.#rest.length < headBytes) return;
      // The length includes itself but not the letter.
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

/** The text up to the next NUL, and the offset after it. */
export function readText(body: Buffer, from: number): { text: string; next: number } {
  const end = body.indexOf(0, from);
  return { text: body.toString("utf8", from, end), next: end + 1 };
}
