import type {
  ComparedTable,
  MigrationRequest,
  MigrationResult,
} from "../cli/surroundings/data-migration.ts";
import { openTransferDestination } from "../storage/postgres/transfer-destination.ts";
import { openTransferSource } from "../storage/sqlite/transfer-source.ts";
import { transferKinds } from "../storage/transfer/transfer.ts";
import type { TransferDestination, TransferSource } from "../storage/transfer/transfer.ts";
import { compareRows } from "./compare-rows.ts";
import { copyRows } from "./copy-rows.ts";
import { reportUnreachableStore } from "./report-unreachable-store.ts";

/**
 * Copies a data folder into a database and compares the two. Servers start on the database only after
 * that.
 */
export async function migrateData(request: MigrationRequest): Promise<MigrationResult> {
  const source = openTransferSource(request.from);
  try {
    const destination = openTransferDestination(request.to);
    try {
      return await reportUnreachableStore(migrate(request, source, destination));
    } finally {
      await destination.close();
    }
  } finally {
    source.close();
  }
}

async function migrate(
  { signal, onEvent }: MigrationRequest,
  source: TransferSource,
  destination: TransferDestination,
): Promise<MigrationResult> {
  const progress = await destination.begin(source.identity);
  onEvent({
    kind: "began",
    rows: transferKinds.reduce((rows, kind) => rows + source.count(kind), 0),
    copied: transferKinds.reduce((rows, { name }) => rows + (progress[name]?.copied ?? 0), 0),
  });
  const complete = await copyRows({
    source,
    destination,
    progress,
    signal,
    onCopied: (what, rows) => onEvent({ kind: "copied", what, rows }),
  });
  if (!complete) return { kind: "stopped" };

  onEvent({ kind: "comparing" });
  const tables: ComparedTable[] = [];
  for (const kind of transferKinds) {
    const onCompared = (rows: number): void => onEvent({ kind: "compared", what: kind.name, rows });
    try {
      tables.push(await compareRows({ source, destination, kind, signal, onCompared }));
    } catch (error) {
      if (signal.aborted) return { kind: "stopped" };
      throw error;
    }
  }
  if (tables.some(({ equal }) => !equal)) return { kind: "different", tables };
  await destination.finish();
  return { kind: "migrated", tables };
}
