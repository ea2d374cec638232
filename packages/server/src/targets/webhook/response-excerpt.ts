const mostBytes = 1_024;
// oxlint-disable-next-line no-control-regex -- they are what must not get through
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The first piece of a response body, made safe to keep and to show. */
export class ResponseExcerpt {
  #bytes: Buffer | null = null;
  #isCut = false;

  add(chunk: Uint8Array): void {
    const kept = this.#bytes?.length ?? 0;
    const room = mostBytes - kept;
    if (chunk.length > room) this.#isCut = true;
    if (room === 0) return;
    // A copy: the chunk is a view on a large buffer of the socket, which must not be held.
    const piece = chunk.subarray(0, room);
    this.#bytes = this.#bytes === null ? Buffer.from(piece) : Buffer.concat([this.#bytes, piece]);
  }

  text(): string | null {
    if (this.#bytes === null) return null;
    // As a stream, a character that was cut in half at the end is left out rather than garbled.
    const decoded = new TextDecoder().decode(this.#bytes, { stream: this.#isCut });
    return decoded === "" ? null : decoded.replace(controlCharacters, "\ufffd");
  }
}
