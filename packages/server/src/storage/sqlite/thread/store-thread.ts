import { parentPort, workerData } from "node:worker_threads";
import type { RateLimit } from "../../../domain/rate-limit.ts";
import { systemClock } from "../../../platform/clock.ts";
import { busyShareOfThread, releaseHeap, MemoryAtRest } from "../../../platform/memory-at-rest.ts";
import { systemRandom } from "../../../platform/random.ts";
import { systemTimers } from "../../../platform/timers.ts";
import type { SchemaUpgrade } from "../../schema-version.ts";
import { Checkpoints } from "./checkpoints.ts";
import { packReplies, unpackCalls } from "./crossing.ts";
import type { FromThread, ToThread } from "./crossing.ts";
import { Executor } from "./executor.ts";
import type { Call } from "./executor.ts";
import { openDatabase } from "../database/open-database.ts";
import { verbs } from "./verbs.ts";

/** The thread that owns the database, so that an fsync here delays no socket. */

export interface ThreadData {
  readonly dataDir: string;
  readonly retentionMs: number;
  readonly idempotencyRetentionMs: number;
  readonly auditRetentionMs?: number;
  readonly eventRetentionMs?: number;
  readonly eventLimit?: number;
  readonly monthlyMessageLimit?: number | null;
  readonly requestLimit?: RateLimit | null;
  readonly schemaUpgrade?: SchemaUpgrade;
}

const port = parentPort!;
const send = (message: FromThread): void => port.postMessage(message);

/**
 * Calls that only read, claims above all, need not wait for the commit of the others. Whatever was
 * acknowledged before they were made is in an earlier commit.
 */
function groupsOf(calls: readonly Call[]): CallGroup[] {
  const { reading = [], writing = [] } = Object.groupBy(calls, ({ verb }) =>
    verbs[verb].writes ? "writing" : "reading",
  );
  if (writing.length === 0) return [{ calls: reading, isLast: true, commits: false }];
  const last = { calls: writing, isLast: true, commits: true };
  return reading.length === 0 ? [last] : [{ calls: reading, isLast: false, commits: false }, last];
}

interface CallGroup {
  readonly calls: Call[];
  readonly isLast: boolean;
  readonly commits: boolean;
}

function start(): void {
  const data = workerData as ThreadData;
  const database = openDatabase(data.dataDir, data);
  const checkpoints = new Checkpoints(database);
  const executor = new Executor({
    ...data,
    database,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    replyLate: (reply) => send(packReplies([reply], null)),
  });
  const memoryAtRest = new MemoryAtRest({
    timers: systemTimers,
    busyShare: busyShareOfThread(),
    release() {
      // SQLite's cache of pages: the system still has them.
      database.db.exec("PRAGMA shrink_memory");
      checkpoints.rest();
      releaseHeap();
    },
  });
  void memoryAtRest.start();
  const close = async (): Promise<void> => {
    await memoryAtRest.stop();
    await checkpoints.letGo();
    executor.close();
    checkpoints.close();
    port.close();
  };
  const answer = (calls: Call[]): void => {
    for (const group of groupsOf(calls)) {
      const replies = executor.execute(group.calls);
      const commitMs = group.commits ? executor.commitMs : 0;
      send(packReplies(replies, group.isLast ? { answered: replies.length, commitMs } : null));
      if (group.commits) checkpoints.committed();
    }
  };
  port.on("message", (message: ToThread) => {
    if (message === "close") void close();
    else answer(unpackCalls(message));
  });
  send({ kind: "open" });
}

try {
  start();
} catch (error) {
  send({ kind: "cannot-open", message: error instanceof Error ? error.message : String(error) });
  port.close();
}
