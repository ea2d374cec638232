import type {
  TransferDestination,
  TransferKind,
  TransferProgress,
  TransferRow,
  TransferValue,
} from "../transfer/transfer.ts";
import { keyOf, transferKinds } from "../transfer/transfer.ts";
import { openConnections } from "./connections/connections.ts";
import type { Run } from "./connections/connections.ts";
import { upgradeSchema } from "./migrate.ts";
import { writeMasks } from "./events/event-masks.ts";
import { createTransfer, findTransfer, recordFinish, recordProgress } from "./transfer-record.ts";
import { insertRows, selectRows, tableOf } from "./transfer-rows.ts";

const rowsAtATime = 2_000;

/** A PostgreSQL to move everything into. There is no deadline: a batch may wait for a slow disk. */
export function openTransferDestination(databaseUrl: string): TransferDestination {
  const connections = openConnections(databaseUrl, { max: 1, deadlineMs: 0 });
  let progress: TransferProgress = {};
  return {
    async begin(identity) {
      const found = await connections.transaction((run) => findTransfer(run, identity));
      await upgradeSchema(connections);
      if (found === undefined) {
        await connections.transaction(async (run) => {
          // Checks again: a server may have started on it meanwhile.
          await findTransfer(run, identity);
          await createTransfer(run, identity);
        });
      }
      return (progress = found ?? {});
    },
    async write(kind, rows) {
      const copied = (progress[kind.name]?.copied ?? 0) + rows.length;
      const next = { ...progress, [kind.name]: { copied, after: keyOf(kind, rows.at(-1)!) } };
      await connections.transaction(async (run) => {
        await recordProgress(run, next);
        await run(insertRows(kind, rows));
      });
      progress = next;
    },
    readBack: (kind, onRows) =>
      connections.transaction((run) => readThroughCursor(run, kind, onRows)),
    finish: () =>
      connections.transaction(async (run) => {
        await writeAllMasks(run);
        // The database collects statistics over time, but the first queries need them at once.
        await run({ name: "", text: `ANALYZE ${transferKinds.map(tableOf).join(", ")}` });
        await recordFinish(run);
      }),
    close: () => connections.close(),
  };
}

/** What somebody is told about follows from the endpoints. */
async function writeAllMasks(run: Run): Promise<void> {
  const rows = await run({ name: "", text: "SELECT DISTINCT account_id FROM event_endpoints" });
  for (const row of rows) await writeMasks(run, row["account_id"]);
}

/** Reads one snapshot in pieces, and fetches the next piece while the caller reads the last. */
async function readThroughCursor(
  run: Run,
  kind: TransferKind,
  onRows: (rows: readonly TransferRow[]) => void | Promise<void>,
): Promise<void> {
  const names = Object.keys(kind.columns);
  await run({
    name: "",
    text: `DECLARE everything NO SCROLL CURSOR FOR ${selectRows(kind)}`,
  });
  const fetch = async (): Promise<TransferRow[]> => {
    const rows = await run({ name: "", text: `FETCH ${rowsAtATime} FROM everything` });
    return rows.map((row) => names.map((name) => row[name] as TransferValue));
  };
  let coming = fetch();
  for (let rows = await coming; rows.length > 0; rows = await coming) {
    coming = fetch();
    try {
      await onRows(rows);
    } catch (error) {
      await coming.catch(() => {});
      throw error;
    }
  }
  await run({ name: "", text: "CLOSE everything" });
}
