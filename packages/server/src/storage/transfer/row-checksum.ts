import { createHash, hash } from "node:crypto";
import type { TransferRow } from "./transfer.ts";

/**
 * One line for one row, the same for every store. JSON keeps text, numbers and null apart. The
 * SHA-256 stands in place of bytes, as a destination reads them back.
 */
export function canonicalLine(row: TransferRow): string {
  const values = row.map((value) =>
    value instanceof Uint8Array ? hash("sha256", value, "hex") : value,
  );
  return `${JSON.stringify(values)}\n`;
}

/** Counts rows and hashes them, in their order. */
export class RowChecksum {
  readonly #hash = createHash("sha256");
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  add(line: string): void {
    this.#hash.update(line);
    this.#rows++;
  }

  /** The caller asks once, at the end. */
  digest(): string {
    return this.#hash.digest("hex");
  }
}
