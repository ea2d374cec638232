import type { ComparedTable } from "../cli/data-migration.ts";
import { formatMessageId } from "../platform/message-ids.ts";
import { canonicalLine, RowChecksum } from "../storage/transfer/row-checksum.ts";
import { keyOf } from "../storage/transfer/transfer.ts";
import type {
  RowKey,
  TransferDestination,
  TransferKind,
  TransferRow,
  TransferSource,
} from "../storage/transfer/transfer.ts";

export interface CompareOptions {
  readonly source: TransferSource;
  readonly destination: TransferDestination;
  readonly kind: TransferKind;
  readonly signal: AbortSignal;
  readonly onCompared: (rows: number) => void;
}

/** Reads both sides afresh, in the same order, and sums up each by itself. */
export async function compareRows(options: CompareOptions): Promise<ComparedTable> {
  const { source, destination, kind, signal, onCompared } = options;
  const sent = new RowChecksum();
  const arrived = new RowChecksum();
  let firstDifference: RowKey | null = null;
  const rows = source.rows(kind, null)[Symbol.iterator]();

  const nextSent = (): TransferRow | undefined => {
    const next = rows.next();
    return next.done === true ? undefined : next.value;
  };
  const compare = (one: TransferRow | undefined, other: TransferRow | undefined): void => {
    const line = one && canonicalLine(one);
    const otherLine = other && canonicalLine(other);
    if (line !== undefined) sent.add(line);
    if (otherLine !== undefined) arrived.add(otherLine);
    if (line !== otherLine) firstDifference ??= readableKey(kind, (one ?? other)!);
  };

  try {
    await destination.readBack(kind, (batch) => {
      signal.throwIfAborted();
      for (const row of batch) compare(nextSent(), row);
      onCompared(batch.length);
    });
    for (let row = nextSent(); row !== undefined; row = nextSent()) compare(row, undefined);
  } finally {
    rows.return?.();
  }
  const sums = {
    source: { rows: sent.rows, checksum: sent.digest() },
    destination: { rows: arrived.rows, checksum: arrived.digest() },
  };
  const equal =
    sums.source.rows === sums.destination.rows &&
    sums.source.checksum === sums.destination.checksum;
  return { kind: kind.name, ...sums, equal, firstDifference };
}

/** The key of a row as its owner knows it. */
function readableKey(kind: TransferKind, row: TransferRow): RowKey {
  const types = Object.values(kind.columns);
  return keyOf(kind, row).map((value, index) =>
    types[index] === "id" ? formatMessageId(Buffer.from(String(value), "hex")) : value,
  );
}
