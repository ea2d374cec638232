import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrate } from "./migrate.ts";

export interface OpenDatabase {
  readonly db: DatabaseSync;
  close(): void;
}

/** Opens the data folder, which must exist, for this process alone, or throws a sentence that says why not. */
export function openDatabase(dataDir: string): OpenDatabase {
  const lock = takeLock(dataDir);
  try {
    const path = join(dataDir, "postdate.db");
    // For its owner alone, whatever the folder allows; the log beside it takes over the same rights.
    closeSync(openSync(path, "a", 0o600));
    const db = new DatabaseSync(path);
    configure(db);
    migrate(db);
    return {
      db,
      close() {
        db.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/**
 * Claims live in the memory of one process, so two on one folder would deliver twice. The lock is an
 * open transaction on a file of its own: the system drops it with the process, however that ends, and
 * the database itself stays readable for backups.
 */
function takeLock(dataDir: string): DatabaseSync {
  const lock = new DatabaseSync(join(dataDir, "postdate.lock"));
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== 5) throw error;
    throw new Error(
      `The data folder ${dataDir} is in use by another Postdate process. ` +
        "Stop that one, or choose another folder with --data-dir.",
      { cause: error },
    );
  }
}

function configure(db: DatabaseSync): void {
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA busy_timeout = 5000;
    PRAGMA cache_size = -65536;
    PRAGMA temp_store = MEMORY;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 67108864;
  `);
}
