import { createHash, hash } from "node:crypto";
import type { TransferRow } from "./transfer.ts";

/**
 * One line for one row, the same whichever store it comes from: JSON tells texts, numbers and nothing
 * apart, and bytes stand there by their SHA-256, as a destination reads them back.
 */
export function canonicalLine(row: TransferRow): string {
  const values = row.map((value) =>
    value instanceof Uint8Array ? hash("sha256", value, "hex") : value,
  );
  return `${JSON.stringify(values)}\n`;
}

/** Counts rows and sums them up, in their order. */
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

  /** To be asked once, at the end. */
  digest(): string {
    return this.#hash.digest("hex");
  }
}
