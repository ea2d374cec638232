import type { SchemaKeeper, SchemaState } from "../cli/surroundings/schema-keeper.ts";
import type { Connections } from "../storage/postgres/connections/connections.ts";
import {
  readSchemaStatus as readPostgresStatus,
  upgradeSchema,
  withOneConnection,
} from "../storage/postgres/migrate.ts";
import { hasUnfinishedTransfer } from "../storage/postgres/transfer-record.ts";
import { openDatabase } from "../storage/sqlite/database/open-database.ts";
import { readFolderStatus } from "../storage/sqlite/database/folder-status.ts";
import { makeDataFolder } from "./first-start/data-folder.ts";
import { reportUnreachableStore } from "./report-unreachable-store.ts";

/** Shows and upgrades the schema of either store, without a server. */
export const schemaKeeper: SchemaKeeper = {
  async status({ dataDir, databaseUrl }) {
    if (databaseUrl === null) return statusOfFolder(dataDir);
    return reportUnreachableStore(withOneConnection(databaseUrl, statusOfDatabase));
  },

  async upgrade({ dataDir, databaseUrl }, onApplied) {
    if (databaseUrl === null) {
      makeDataFolder(dataDir);
      openDatabase(dataDir, { onApplied }).close();
      return statusOfFolder(dataDir);
    }
    return reportUnreachableStore(
      withOneConnection(databaseUrl, async (connections) => {
        await upgradeSchema(connections, onApplied);
        return statusOfDatabase(connections);
      }),
    );
  },
};

function statusOfFolder(dataDir: string): SchemaState {
  return { store: "embedded", ...readFolderStatus(dataDir), migrationUnfinished: false };
}

async function statusOfDatabase(connections: Connections): Promise<SchemaState> {
  const status = await readPostgresStatus(connections);
  const migrationUnfinished = await hasUnfinishedTransfer(connections);
  return { store: "postgresql", ...status, migrationUnfinished };
}
