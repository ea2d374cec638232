import { fdatasyncSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** The thread that moves the log's pages into the database and waits for the disk. */

export interface CheckpointThreadData {
  readonly path: string;
  /** A descriptor of the same file, used only for syncing. */
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
    // SQLite syncs the database only when the log is empty, and the thread that empties it would
    // wait for all pages.
    fdatasyncSync(fd);
  } catch {
    // For example a full disk. The log keeps its pages, and the next writer gets an error.
  }
  port.postMessage("moved");
});
