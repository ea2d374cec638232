import { setPriority } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../../platform/clock.ts";
import { prepareReadingVerbs } from "./reading-verbs.ts";
import type { ReadingVerbName } from "./reading-verbs.ts";

/** The thread that reads for statistics, beside the one that claims and records. */

export interface ReadingThreadData {
  readonly path: string;
}

export interface ReadingCall {
  readonly id: number;
  readonly verb: ReadingVerbName;
  readonly args: readonly unknown[];
}

export type ToReadingThread = ReadingCall | "close";

export type FromReadingThread =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: Error };

/** Deliveries go first where processors are short. */
const lowPriority = 10;

const port = parentPort!;
const { path } = workerData as ReadingThreadData;
// Only Linux gives a thread a priority of its own. Elsewhere the whole process would get it.
if (process.platform === "linux") setPriority(0, lowPriority);
const db = new DatabaseSync(path, { readOnly: true });
db.exec("PRAGMA cache_size = -8192; PRAGMA busy_timeout = 5000");
const verbs = prepareReadingVerbs({ db, clock: systemClock });

function answer({ id, verb, args }: ReadingCall): FromReadingThread {
  try {
    return { id, value: (verbs[verb] as (...args: readonly unknown[]) => unknown)(...args) };
  } catch (error) {
    return { id, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

port.on("message", (message: ToReadingThread) => {
  if (message !== "close") {
    port.postMessage(answer(message));
    return;
  }
  db.close();
  port.close();
});
