import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { systemClock } from "../../platform/clock.ts";
import { systemTimers } from "../../platform/timers.ts";
import type { Store } from "../store.ts";
import { StoreUnavailable } from "../store.ts";
import { Reader } from "./reading/reader.ts";
import { CallQueue } from "./thread/call-queue.ts";
import { packCalls } from "./thread/crossing.ts";
import type { FromThread, ToThread } from "./thread/crossing.ts";
import type { ThreadData } from "./thread/store-thread.ts";
import { verbNames } from "./thread/verbs.ts";
import type { VerbName } from "./thread/verbs.ts";

export interface SqliteStoreOptions extends ThreadData {
  readonly onBatch?: (size: number) => void;
  /** The store's thread has died, so nothing more can be stored. */
  readonly onFatal?: (error: Error) => void;
}

/** The embedded store: SQLite on a thread of its own. Calls that arrive together share a commit. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { onBatch = () => {}, onFatal = () => {}, ...workerData } = options;
  const worker = new Worker(
    new URL(`./thread/store-thread${extname(import.meta.url)}`, import.meta.url),
    {
      workerData,
    },
  );
  const post = (message: ToThread): void => worker.postMessage(message);
  const queue = new CallQueue({
    send: (calls) => post(packCalls(calls)),
    onBatch,
    clock: systemClock,
    timers: systemTimers,
  });
  await opened(worker);

  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  let closing = false;
  worker.on("message", (message: FromThread) => {
    if (message.kind !== "replies") return;
    queue.settle(message);
    if (message.ended !== null) queue.batchDone(message.ended);
  });
  const die = (error: Error): void => {
    if (closing) return;
    closing = true;
    queue.close(new StoreUnavailable("the embedded store has stopped", { cause: error }));
    onFatal(error);
  };
  worker.once("error", die);
  worker.once("exit", (code) => die(new Error(`the store's thread ended with ${code}`)));

  const store: Partial<Record<VerbName, unknown>> = {};
  for (const verb of verbNames) {
    store[verb] = (...args: readonly unknown[]) => queue.call(verb, args);
  }
  const reader = new Reader(options.dataDir);
  return {
    ...(store as Pick<Store, VerbName>),
    ...reader.verbs,
    clock: systemClock,
    sharing: null,
    waitingCalls: () => queue.waiting,
    renew: () => Promise.resolve(true),
    leave: () => Promise.resolve(),
    endLapsedMemberships: () =>
      Promise.resolve({ count: 0, targetKeys: [], areSomeGone: false, nextEndMs: null }),
    async close() {
      // The last connection to close empties the log, which a read-only one could not.
      await reader.close();
      if (!closing) {
        closing = true;
        post("close");
      }
      await exited;
      queue.close(new StoreUnavailable("the embedded store is closed"));
    },
  };
}

function opened(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (message: FromThread) => {
      worker.off("error", reject);
      if (message.kind === "cannot-open") reject(new Error(message.message));
      else resolve();
    });
  });
}
