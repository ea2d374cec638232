import type { Asked, History } from "../../history/history.ts";
import type { Cluster } from "../../support/cluster.ts";
import { takeFinalLook, targetTerms } from "../../support/final-look.ts";
import { hostileAnswers } from "./hostile-answers.ts";
import { startHostileTargets } from "./hostile-targets.ts";
import { scheduleBatch } from "../support/logged-batch.ts";
import { loggedCalls } from "../../support/logged-calls.ts";
import { peakMemoryMiB } from "../support/peak-memory.ts";
import { realBounds } from "../../support/real-run.ts";
import { seenReceipts } from "../../support/seen-receipts.ts";
import { scheduleSteadily } from "../support/steady-caller.ts";

export const maxAttempts = 2;
/** For answers that must time out. Longer than the second between two bytes of a trickling answer. */
export const shortTimeoutMs = 1_500;
/** For answers that must not time out, even on a busy machine. */
export const longTimeoutMs = 5_000;
const retryPolicy = { maxAttempts, backoff: { kind: "list", delaysMs: [100] } };

/**
 * The engine soon sends only one attempt at a time to a target that does not answer, so it gets few
 * messages.
 */
const fewMessages = 5;
const manyMessages = 60;
/** Each target always has several attempts under way, and new ones begin all the time. */
const hostileMs = 6_000;

const steadily = { targetId: "t", everyMs: 10, aheadMs: 400 };
/** How long `t` runs alone. Its lateness then is the cost of a busy machine without hostile targets. */
const calmMs = 4_000;

export interface HostileRun {
  readonly history: History;
  /** When the first message to a hostile target was due. */
  readonly start: number;
  readonly peakMiB: readonly number[];
}

/**
 * Runs every kind of hostile target at once, each with messages for some seconds. The healthy target `t` is
 * busy beside them until the last of those messages was attempted.
 */
export async function hostileRun({ nodes, receiver }: Cluster): Promise<HostileRun> {
  await using targets = await startHostileTargets();
  const { api } = nodes[0]!;
  const urls = await targets.urls();
  for (const { targetId, outcome } of hostileAnswers) {
    const timeoutMs = outcome === "TIMEOUT" ? shortTimeoutMs : longTimeoutMs;
    const body = { targetId, url: urls.get(targetId), timeoutMs, retryPolicy };
    const { status, text } = await api("POST", "/v1/targets", { body });
    if (status !== 200) throw new Error(`no target: ${status} ${text}`);
  }

  const good: Asked[] = [];
  const done = new AbortController();
  let turn = 0;
  const calls = loggedCalls(
    (...call) => nodes[turn++ % nodes.length]!.api(...call),
    "steady",
    good,
  );
  const beside = scheduleSteadily(calls, steadily, done.signal);
  const bad: Asked[] = [];
  const start = Date.now() + calmMs;
  const attempts: Record<string, number> = {};
  for (const { targetId, outcome } of hostileAnswers) {
    const length = outcome === "TIMEOUT" ? fewMessages : manyMessages;
    const items = Array.from({ length }, (_, index) => ({
      targetId,
      dueAt: start + Math.floor((index * hostileMs) / length),
      payload: `${targetId}-${index}`,
    }));
    attempts[targetId] = items.length * (outcome === "DELIVERED" ? 1 : maxAttempts);
    await scheduleBatch(api, "hostile", bad, items);
  }
  await targets.attempted(attempts);
  done.abort();
  await beside;

  const asked = [...good, ...bad];
  const final = await takeFinalLook(api, asked);
  const terms = await targetTerms(api, Object.keys(attempts));
  return {
    start,
    peakMiB: nodes.map(({ server }) => peakMemoryMiB(server)),
    history: {
      asked,
      final,
      receipts: [...seenReceipts(receiver.receipts), ...(await targets.receipts())],
      faults: [],
      // Their bad answers limit how fast they are served.
      targets: [...(await targetTerms(api)), ...terms.map((each) => ({ ...each, mayWait: true }))],
      bounds: realBounds,
      expects: {
        schedules: bad.length + 500,
        receipts: Object.values(attempts).reduce((sum, each) => sum + each, 500),
        cancels: 0,
        reschedules: 0,
        unknowns: 0,
        takeovers: 0,
      },
    },
  };
}
