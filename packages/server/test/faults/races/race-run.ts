import { setTimeout as sleep } from "node:timers/promises";
import type { Asked, ChangeAsked, History } from "../../history/history.ts";
import type { Cluster } from "../../support/cluster.ts";
import { takeFinalLook, targetTerms } from "../../support/final-look.ts";
import { loggedCalls } from "../../support/logged-calls.ts";
import type { LoggedCalls } from "../../support/logged-calls.ts";
import { realBounds } from "../../support/real-run.ts";
import type { Answer } from "../../support/receiver.ts";
import { seenReceipts } from "../../support/seen-receipts.ts";

export interface RaceRunOptions {
  readonly races: number;
  readonly racers: number;
}

type Change = ChangeAsked["verb"];

/** What races with the delivery: one call, or two calls that also race with each other. */
const rivals: readonly (readonly Change[])[] = [
  ["cancel"],
  ["reschedule"],
  ["cancel", "cancel"],
  ["reschedule", "reschedule"],
  ["cancel", "reschedule"],
];

/** When the calls are made, relative to the due time of the message. */
const earliestMs = -40;
const latestMs = 10;

/**
 * Cancels and reschedules messages at the very instant when they are due, thousands of times. If there are
 * several nodes, the two calls of one race go to different nodes.
 */
export async function raceRun(
  { nodes, receiver }: Cluster,
  { races, racers }: RaceRunOptions,
): Promise<History> {
  receiver.answerWith(answerShortly);
  const asked: Asked[] = [];
  const callers = nodes.map(({ api }, index) => loggedCalls(api, `caller-${index}`, asked));
  let begun = 0;
  const race = async (): Promise<void> => {
    while (begun < races) await raceOnce(callers, begun++);
  };
  await Promise.all(Array.from({ length: racers }, race));
  const { api } = nodes[0]!;
  return {
    asked,
    final: await takeFinalLook(api, asked),
    receipts: seenReceipts(receiver.receipts),
    faults: [],
    targets: await targetTerms(api),
    bounds: realBounds,
    expects: {
      schedules: races,
      cancels: races / 20,
      reschedules: races / 20,
      receipts: races / 4,
      unknowns: 0,
      takeovers: 0,
    },
  };
}

async function raceOnce(callers: readonly LoggedCalls[], number: number): Promise<void> {
  const callerOf = (turn: number): LoggedCalls => callers[(number + turn) % callers.length]!;
  const dueAt = Date.now() + 150 + Math.floor(Math.random() * 100);
  const { answer } = await callerOf(0).schedule(`race-${number}`, "t", dueAt);
  if (answer.kind !== "ok") throw new Error("a message could not be scheduled");
  const { messageId } = answer.message;
  await Promise.all(
    rivals[number % rivals.length]!.map(async (change, turn) => {
      const at = dueAt + earliestMs + Math.random() * (latestMs - earliestMs);
      await sleep(Math.max(0, at - Date.now()));
      const caller = callerOf(turn + 1);
      if (change === "cancel") await caller.cancel(messageId);
      else await caller.reschedule(messageId, dueAt + 50 + Math.floor(Math.random() * 200));
    }),
  );
}

/** Slow enough that a call can come while the target works, with failures for the call to overrule. */
const answerShortly: Answer = (_, response) => {
  const status = Math.random() < 0.2 ? 500 : 204;
  const afterMs = Math.random() * 15;
  setTimeout(() => response.writeHead(status).end(), afterMs);
};
