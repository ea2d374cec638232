import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { refuseNewerSchema, refuseOlderSchema } from "../../schema-version.ts";
import type { SchemaUpgrade } from "../../schema-version.ts";
import { lockDataFolder } from "./data-folder-lock.ts";
import { migrate, readSchemaStatus } from "./migrate.ts";

/** In pages. The pages of a longer log are moved into the database. */
export const longLog = 4_000;

export interface OpenDatabase {
  readonly db: DatabaseSync;
  readonly path: string;
  close(): void;
}

export interface DatabaseOptions {
  readonly schemaUpgrade?: SchemaUpgrade;
  readonly onApplied?: ((step: string) => void) | undefined;
}

/** Opens an existing data folder for this process alone, or throws an error that says why not. */
export function openDatabase(
  dataDir: string,
  { schemaUpgrade = "auto", onApplied }: DatabaseOptions = {},
): OpenDatabase {
  using opening = new DisposableStack();
  opening.use(lockDataFolder(dataDir));
  const path = join(dataDir, "postdate.db");
  // Only the owner may read it, whatever the folder allows. The log gets the same permissions.
  closeSync(openSync(path, "a", 0o600));
  const db = opening.use(new DatabaseSync(path));
  if (schemaUpgrade === "manual") {
    const status = readSchemaStatus(db);
    refuseNewerSchema(status);
    refuseOlderSchema(status, ` --data-dir ${dataDir}`);
  }
  configure(db);
  migrate(db, onApplied);
  const open = opening.move();
  return { db, path, close: () => open.dispose() };
}

function configure(db: DatabaseSync): void {
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA busy_timeout = 5000;
    PRAGMA cache_size = -32768;
    PRAGMA temp_store = MEMORY;
    PRAGMA wal_autocheckpoint = ${longLog};
    PRAGMA journal_size_limit = 67108864;
  `);
}
