import { transferKinds } from "../storage/transfer/transfer.ts";
import type {
  TransferDestination,
  TransferProgress,
  TransferRow,
  TransferSource,
} from "../storage/transfer/transfer.ts";

export interface CopyOptions {
  readonly source: TransferSource;
  readonly destination: TransferDestination;
  /** Where an earlier run stopped. */
  readonly progress: TransferProgress;
  readonly signal: AbortSignal;
  readonly onCopied: (what: string, rows: number) => void;
}

const mostRows = 2_000;
/** A payload may have a quarter of a megabyte, so a batch is also limited by its size. */
const mostBytes = 4 * 2 ** 20;

/** Copies the missing rows, kind by kind. False: it was asked to stop before the end. */
export async function copyRows(options: CopyOptions): Promise<boolean> {
  const { source, destination, progress, signal, onCopied } = options;
  for (const kind of transferKinds) {
    const rows = source.rows(kind, progress[kind.name]?.after ?? null);
    // Reads the next batch from the source while the destination writes this one.
    let writing = Promise.resolve();
    for (const batch of inBatches(rows)) {
      await writing;
      if (signal.aborted) return false;
      writing = destination.write(kind, batch).then(() => onCopied(kind.name, batch.length));
    }
    await writing;
    if (signal.aborted) return false;
  }
  return true;
}

function* inBatches(rows: Iterable<TransferRow>): Generator<TransferRow[]> {
  let batch: TransferRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(row);
    bytes += sizeOf(row);
    if (batch.length < mostRows && bytes < mostBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function sizeOf(row: TransferRow): number {
  let bytes = 0;
  for (const value of row) {
    if (typeof value === "string" || value instanceof Uint8Array) bytes += value.length;
  }
  return bytes;
}
