/** Anybody's network makes pieces of hundreds of bytes; the first of them may be small. */
const fewPieces = 1_000;
const tinyBytes = 64;

/** In how many pieces a body comes, and how long they are. */
export class PieceCount {
  bytes = 0;
  #count = 0;

  add(piece: Buffer): void {
    this.#count++;
    this.bytes += piece.length;
  }

  /** Whether reading the pieces costs far more than what is in them. */
  get areTiny(): boolean {
    return this.#count > fewPieces && this.bytes < this.#count * tinyBytes;
  }
}
