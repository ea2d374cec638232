import { closeSync, openSync } from "node:fs";
import { extname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { CheckpointThreadData, ToCheckpointThread } from "./checkpoint-thread.ts";
import { longLog } from "../database/open-database.ts";
import type { OpenDatabase } from "../database/open-database.ts";

/** If nobody has moved the pages of a log this long, SQLite does so in a commit. */
export const longestLog = 4 * longLog;
/** Few enough pages to move in a few milliseconds. */
const shortRest = 600;
/** While more is written than can be moved, some pages always remain. */
const mostPasses = 3;
/** A look at the log costs as much as a small commit. */
export const commitsPerLook = 8;

/**
 * Keeps the write-ahead log short. With many messages pending, nearly every page in it belongs to a
 * different part of the database. Moving 4,000 of them takes tens of milliseconds, and nothing
 * could be claimed or committed meanwhile. So another thread moves and syncs them while this one
 * continues. This thread moves the few pages written meanwhile, because a log restarts only when
 * all of it has been moved.
 */
export class Checkpoints {
  readonly #look;
  readonly #moveRest;
  readonly #path: string;
  /** Closing it releases the process's locks on the file, so it is closed after the database. */
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

  /** Must be called after every commit. */
  committed(): void {
    if (this.#over || this.#moving || ++this.#commits % commitsPerLook !== 0) return;
    if (this.#lengths().log >= longLog) this.#move();
  }

  /**
   * Ends the thread, which has a heap of its own. The next long log starts another. Returns false during a
   * move, which needs the thread.
   */
  rest(): boolean {
    if (this.#moving || this.#over) return false;
    this.#send("close");
    this.#thread = undefined;
    return true;
  }

  /** After this resolves, the database may be closed. */
  async letGo(): Promise<void> {
    this.#over = true;
    this.#send("close");
    await this.#threadEnded;
  }

  /** Must be called after the database is closed. */
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
      // For example a full disk. The log keeps its pages, and the next writer gets an error.
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
    const earlierEnded = this.#threadEnded;
    const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
    this.#threadEnded = earlierEnded.then(() => ended);
    return thread;
  }
}

/** From SQLite 3.51 on. In older versions, asking for the length of the log would move it. */
function canLook(db: DatabaseSync): boolean {
  const { version } = db.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 3 || (major === 3 && minor >= 51);
}
