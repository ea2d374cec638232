import type { Fault } from "../../history/faults.ts";
import type { Asked, History, Receipt } from "../../history/history.ts";
import type { Api } from "../../support/api.ts";
import { backlogs } from "./backlog.ts";
import { watchDrain } from "./backlog-receiver.ts";
import type { WatchedDrain } from "./backlog-receiver.ts";
import type { ClusterNode } from "../../support/cluster.ts";
import { takeFinalLook, targetTerms } from "../../support/final-look.ts";
import { loggedCalls } from "../../support/logged-calls.ts";
import { peakMemoryMiB } from "../support/peak-memory.ts";
import { realBounds } from "../../support/real-run.ts";
import type { Receiver } from "../../support/receiver.ts";
import { seenReceipts } from "../../support/seen-receipts.ts";
import { scheduleSteadily } from "../support/steady-caller.ts";

export interface CatchUpOptions {
  readonly receiver: Receiver;
  /** The earlier schedule calls of every message that waits. */
  readonly waiting: readonly Asked[];
  readonly start: () => Promise<Started>;
  /** How far the service's clock is ahead of the clock here, from the start on. */
  readonly clockOffMs: number;
}

export interface Started {
  readonly api: Api;
  readonly delivering: readonly ClusterNode[];
  readonly faults: readonly Fault[];
}

export interface CatchUpRun {
  readonly history: History;
  readonly watched: WatchedDrain;
  readonly peakMiB: readonly number[];
}

const steadily = { targetId: "t", everyMs: 20, aheadMs: 300 };
/** How many of the waiting messages are checked one by one, besides all those with a rate limit. */
const sampleSize = 500;
const pacedIds = new Set(
  backlogs.flatMap(({ targetId, rateLimit }) => (rateLimit === null ? [] : targetId)),
);

/**
 * Starts servers on a backlog, while messages to the target `t`, which has no backlog, keep falling due.
 * From then on, all instants of the history are by the service's clock.
 */
export async function catchUpRun(options: CatchUpOptions): Promise<CatchUpRun> {
  const { receiver, waiting, start, clockOffMs } = options;
  const watched = watchDrain(receiver, waiting.length);
  const { api, delivering, faults } = await start();
  const steady: Asked[] = [];
  const drained = new AbortController();
  const beside = scheduleSteadily(
    loggedCalls(api, "steady", steady),
    { ...steadily, clockOffMs },
    drained.signal,
  );
  await watched.drained;
  drained.abort();
  await beside;

  const sample = waiting.filter(
    (call) =>
      (call.verb === "batch item" && pacedIds.has(call.targetId)) ||
      Math.random() < sampleSize / waiting.length,
  );
  const final = await takeFinalLook(api, [...sample, ...steady]);
  const terms = await targetTerms(
    api,
    backlogs.map(({ targetId }) => targetId),
  );
  return {
    watched,
    peakMiB: delivering.map(({ server }) => peakMemoryMiB(server)),
    history: {
      asked: [...waiting, ...steady.map((call) => movedCall(call, clockOffMs))],
      receipts: seenReceipts(receiver.receipts).map((each) => movedReceipt(each, clockOffMs)),
      faults,
      // The message that has waited longest goes first, at the pace that the target allows.
      targets: [...(await targetTerms(api)), ...terms.map((each) => ({ ...each, mayWait: true }))],
      final: { ...final, takenAt: final.takenAt + clockOffMs },
      bounds: realBounds,
      expects: {
        schedules: waiting.length + 100,
        receipts: waiting.length + 100,
        cancels: 0,
        reschedules: 0,
        unknowns: 0,
        takeovers: 0,
      },
    },
  };
}

function movedCall(call: Asked, byMs: number): Asked {
  return { ...call, askedAt: call.askedAt + byMs, answeredAt: call.answeredAt + byMs };
}

function movedReceipt(receipt: Receipt, byMs: number): Receipt {
  const { startedAt, endedAt } = receipt;
  return {
    ...receipt,
    startedAt: startedAt + byMs,
    endedAt: endedAt === null ? null : endedAt + byMs,
  };
}
