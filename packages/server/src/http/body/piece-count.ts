/** Real networks deliver pieces of hundreds of bytes. A few small ones are normal. */
const fewPieces = 1_000;
const tinyBytes = 64;

/** Counts the pieces of a body and their bytes. */
export class PieceCount {
  bytes = 0;
  #count = 0;

  add(piece: Buffer): void {
    this.#count++;
    this.bytes += piece.length;
  }

  /** Whether the pieces are so small that reading them costs far more than their bytes. */
  get areTiny(): boolean {
    return this.#count > fewPieces && this.bytes < this.#count * tinyBytes;
  }
}
