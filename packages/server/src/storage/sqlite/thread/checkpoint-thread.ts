import { fdatasyncSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** The thread that moves the log's pages into the database, and waits for the disk meanwhile. */

export interface CheckpointThreadData {
  readonly path: string;
  /** Of the same file, for syncing alone. */
  readonly fd: number;
}

export type ToCheckpointThread = "move" | "close";

const port = parentPort!;
const { path, fd } = workerData as CheckpointThreadData;
const db = new DatabaseSync(path);
db.exec("PRAGMA synchronous = FULL; PRAGMA cache_size = -1024");
const move = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");

port.on("message", (message: ToCheckpointThread) => {
  if (message === "close") {
    db.close();
    port.close();
    return;
  }
  try {
    move.get();
    // SQLite syncs the database only when the log is empty: whoever empties it would wait for all of it.
    fdatasyncSync(fd);
  } catch {
    // A full disk, say. The log keeps what it has, and whoever writes is told.
  }
  port.postMessage("moved");
});
