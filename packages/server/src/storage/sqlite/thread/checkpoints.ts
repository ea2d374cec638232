import { closeSync, openSync } from "node:fs";
import { extname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { CheckpointThreadData, ToCheckpointThread } from "./checkpoint-thread.ts";
import { longLog } from "../open-database.ts";
import type { OpenDatabase } from "../open-database.ts";

/** Where the log gets so long nobody has moved it, and SQLite does, in a commit. */
export const longestLog = 4 * longLog;
/** Few enough to be moved in a few milliseconds. */
const shortRest = 600;
/** While more is written than can be moved there is always a rest. */
const mostPasses = 3;
/** A look at the log costs as much as a small commit does. */
export const commitsPerLook = 8;

/**
 * Keeps the write-ahead log short. With many messages pending nearly every page of it belongs somewhere
 * else, and moving 4,000 of them into the database takes tens of milliseconds, in which nothing could be
 * claimed or committed. So another thread moves and syncs them while this one goes on; the few that
 * were written meanwhile are moved here, since only a log that was moved to its end begins anew.
 */
export class Checkpoints {
  readonly #look;
  readonly #moveRest;
  readonly #path: string;
  /** Closing it takes the process's locks off the file, so that is done after the database is closed. */
  readonly #fd: number;
  #thread: Worker | undefined;
  #threadEnded = Promise.resolve();
  #over = false;
  #moving = false;
  #passes = 0;
  #commits = 0;

  constructor({ db, path }: Pick<OpenDatabase, "db" | "path">) {
    this.#path = path;
    this.#fd = openSync(path, "r+");
    this.#look = db.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.#moveRest = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
    if (canLook(db)) db.exec(`PRAGMA wal_autocheckpoint = ${longestLog}`);
    else this.#over = true;
  }

  /** To be told after every commit. */
  committed(): void {
    if (this.#over || this.#moving || ++this.#commits % commitsPerLook !== 0) return;
    if (this.#lengths().log >= longLog) this.#move();
  }

  /** After this the database may be closed. */
  async letGo(): Promise<void> {
    this.#over = true;
    this.#send("close");
    await this.#threadEnded;
  }

  /** After the database. */
  close(): void {
    closeSync(this.#fd);
  }

  #move(): void {
    this.#thread ??= this.#start();
    this.#moving = true;
    this.#passes++;
    this.#send("move");
  }

  #moved(): void {
    if (this.#over) return;
    const { log, checkpointed } = this.#lengths();
    if (log - checkpointed > shortRest && this.#passes < mostPasses) return this.#move();
    this.#moving = false;
    this.#passes = 0;
    try {
      this.#moveRest.get();
    } catch {
      // A full disk, say. The log keeps what it has, and whoever writes is told.
    }
  }

  #lengths(): { readonly log: number; readonly checkpointed: number } {
    try {
      return this.#look.get() as { log: number; checkpointed: number };
    } catch {
      return { log: 0, checkpointed: 0 };
    }
  }

  #send(message: ToCheckpointThread): void {
    this.#thread?.postMessage(message);
  }

  #start(): Worker {
    const script = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url);
    const workerData: CheckpointThreadData = { path: this.#path, fd: this.#fd };
    const thread = new Worker(script, { workerData });
    thread.on("message", () => this.#moved());
    thread.on("error", () => (this.#over = true));
    this.#threadEnded = new Promise((resolve) => thread.once("exit", () => resolve()));
    return thread;
  }
}

/** From 3.51 on; before, asking for the length of the log would move it. */
function canLook(db: DatabaseSync): boolean {
  const { version } = db.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 3 || (major === 3 && minor >= 51);
}
