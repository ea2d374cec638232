const mostBytes = 1_024;
// oxlint-disable-next-line no-control-regex -- they are what must not get through
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Shorter values are too common to be secret. Hiding them would tear holes into ordinary text. */
const shortestHidden = 8;
const inPlace = "[header value]";
const credentialWithScheme = /^\S+ +(\S+)$/;

/**
 * The texts of a target's own headers that must not appear in an excerpt. Nobody is shown these values, and
 * a receiver may echo them. The longest come first, because one may contain another.
 */
export function textsToHide(headers: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.values(headers).flatMap((value) => {
    const credential = credentialWithScheme.exec(value)?.[1];
    return credential === undefined ? [value] : [value, credential];
  });
  const asWritten = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  return [...new Set(asWritten)]
    .filter(({ length }) => length >= shortestHidden)
    .toSorted((one, other) => other.length - one.length);
}

/** The beginning of a response body, made safe to store and to show. */
export class ResponseExcerpt {
  readonly #hidden: readonly string[];
  #bytes: Buffer | null = null;
  #isCut = false;

  constructor(hidden: readonly string[]) {
    this.#hidden = hidden;
  }

  add(chunk: Uint8Array): void {
    const kept = this.#bytes?.length ?? 0;
    const room = mostBytes - kept;
    if (chunk.length > room) this.#isCut = true;
    if (room === 0) return;
    // Copies the bytes. The chunk is a view on a large buffer of the socket, which must not be kept alive.
    const piece = chunk.subarray(0, room);
    this.#bytes = this.#bytes === null ? Buffer.from(piece) : Buffer.concat([this.#bytes, piece]);
  }

  text(): string | null {
    if (this.#bytes === null) return null;
    // In stream mode, the decoder drops a character that was cut in half at the end.
    const decoded = new TextDecoder().decode(this.#bytes, { stream: this.#isCut });
    return decoded === "" ? null : this.#hide(decoded).replace(controlCharacters, "\ufffd");
  }

  #hide(decoded: string): string {
    if (this.#hidden.length === 0) return decoded;
    let text = decoded;
    for (const hidden of this.#hidden) text = text.replaceAll(hidden, inPlace);
    return this.#hideBeginning(text).slice(0, mostBytes).toWellFormed();
  }

  /** If the excerpt was cut inside a value, the value's beginning is still at the end. */
  #hideBeginning(text: string): string {
    for (const hidden of this.#hidden) {
      const longest = Math.min(hidden.length - 1, text.length);
      for (let length = longest; length >= shortestHidden; length--) {
        if (text.endsWith(hidden.slice(0, length))) return text.slice(0, -length) + inPlace;
      }
    }
    return text;
  }
}
