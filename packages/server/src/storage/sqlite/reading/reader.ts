import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { StoreUnavailable } from "../../store.ts";
import type { FromReadingThread, ReadingThreadData, ToReadingThread } from "./reading-thread.ts";
import { readingVerbNames } from "./reading-verbs.ts";
import type { ReadingStore, ReadingVerbName } from "./reading-verbs.ts";

interface Pending {
  resolve(value: never): void;
  reject(error: Error): void;
}

/**
 * Reads for statistics on a thread and a connection of its own. The thread starts with the first call. If it
 * dies, its calls fail and the next call starts another: deliveries do not depend on it.
 */
export class Reader {
  readonly verbs: ReadingStore;
  readonly #path: string;
  readonly #pending = new Map<number, Pending>();
  #thread: Worker | undefined;
  #threadEnded = Promise.resolve();
  #closed = false;
  #nextId = 1;

  constructor(dataDir: string) {
    this.#path = join(dataDir, "postdate.db");
    const verbs = readingVerbNames.map((verb) => [
      verb,
      (...args: readonly unknown[]) => this.#call(verb, args),
    ]);
    this.verbs = Object.fromEntries(verbs) as ReadingStore;
  }

  /** After this resolves, no connection of the reader is open. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#thread?.postMessage("close" satisfies ToReadingThread);
    await this.#threadEnded;
  }

  #call(verb: ReadingVerbName, args: readonly unknown[]): Promise<never> {
    if (this.#closed) return Promise.reject(closed());
    this.#thread ??= this.#start();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#thread!.postMessage({ id, verb, args } satisfies ToReadingThread);
    });
  }

  #start(): Worker {
    const script = new URL(`./reading-thread${extname(import.meta.url)}`, import.meta.url);
    const workerData: ReadingThreadData = { path: this.#path };
    const thread = new Worker(script, { workerData });
    let failure = closed();
    thread.on("message", (message: FromReadingThread) => {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if ("error" in message) pending?.reject(unavailable(message.error));
      else pending?.resolve(message.value as never);
    });
    thread.once("error", (error) => {
      failure = unavailable(error);
    });
    this.#threadEnded = new Promise((resolve) => {
      thread.once("exit", () => {
        if (this.#thread === thread) this.#thread = undefined;
        for (const pending of this.#pending.values()) pending.reject(failure);
        this.#pending.clear();
        resolve();
      });
    });
    return thread;
  }
}

function closed(): StoreUnavailable {
  return new StoreUnavailable("the embedded store is closed");
}

function unavailable(error: unknown): StoreUnavailable {
  return new StoreUnavailable("the embedded store cannot read statistics", { cause: error });
}
