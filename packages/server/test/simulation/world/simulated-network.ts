import type { AttemptReport } from "../../../src/domain/attempt.ts";
import type { Delivery, TargetKind } from "../../../src/targets/target-kind.ts";
import { webhookFailures } from "../../../src/targets/webhook/webhook-outcomes.ts";
import {
  completeWebhook,
  mergeWebhook,
  viewWebhook,
  type WebhookSettings,
} from "../../../src/targets/webhook/webhook-settings.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { SimulatedTime } from "./simulated-time.ts";
import type { Trace } from "./trace.ts";

/** How a target reacts, each reaction with its share of the attempts. */
export interface Mood {
  readonly delivers: number;
  readonly refuses: number;
  readonly fails: number;
  readonly saysGone: number;
  readonly saysLater: number;
  readonly hangs: number;
  /** The target accepts the message, and the connection breaks before the answer. */
  readonly resets: number;
  /** The target cannot be reached, and nothing arrives. */
  readonly unreachable: number;
  /** The longest time that an answer takes. */
  readonly slowestMs: number;
}

export const sunny: Mood = {
  delivers: 1,
  refuses: 0,
  fails: 0,
  saysGone: 0,
  saysLater: 0,
  hangs: 0,
  resets: 0,
  unreachable: 0,
  slowestMs: 40,
};

export const hanging: Mood = { ...sunny, delivers: 0, hangs: 1 };

/** One attempt as it left a node. The promises are the same whether or not it arrived. */
export interface Arrival {
  readonly messageId: string;
  readonly attemptNumber: number;
  readonly accountId: string;
  readonly targetId: string;
  readonly nodeId: string;
  readonly payload: Uint8Array;
  readonly startedAt: number;
  /** When it was answered or broke off. Null while it is under way. */
  endedAt: number | null;
  /** Null if there was no answer. */
  status: number | null;
}

type Reaction =
  | { readonly kind: "answers"; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly kind: "hangs" | "resets" | "unreachable" };

export interface SimulatedNetwork {
  readonly arrivals: readonly Arrival[];
  setMood(targetId: string, mood: Mood): void;
  /** The target kind of a node. Answers come back through the node's timers, so a dead node gets none. */
  kindFor(nodeId: string, process: SimulatedProcess): TargetKind<WebhookSettings>;
}

export function simulatedNetwork(
  time: SimulatedTime,
  random: SeededRandom,
  trace: Trace,
): SimulatedNetwork {
  const arrivals: Arrival[] = [];
  const moods = new Map<string, Mood>();
  const counts = new Map<string, number>();

  const reactionOf = (mood: Mood, chance: SeededRandom): Reaction => {
    const answers = (status: number, retryAfterMs: number | null = null): Reaction => ({
      kind: "answers",
      status,
      retryAfterMs,
    });
    const choices: readonly [number, () => Reaction][] = [
      [mood.delivers, () => answers(chance.pick([200, 202, 204]))],
      [mood.refuses, () => answers(chance.pick([400, 404, 301]))],
      [mood.fails, () => answers(chance.pick([500, 502]))],
      [mood.saysGone, () => answers(410)],
      [mood.saysLater, () => answers(chance.pick([429, 503]), chance.between(1, 60) * 1_000)],
      [mood.hangs, () => ({ kind: "hangs" })],
      [mood.resets, () => ({ kind: "resets" })],
      [mood.unreachable, () => ({ kind: "unreachable" })],
    ];
    let left = chance.fraction() * choices.reduce((sum, [share]) => sum + share, 0);
    for (const [share, make] of choices) if ((left -= share) < 0) return make();
    return answers(204);
  };

  const deliver = (
    nodeId: string,
    process: SimulatedProcess,
    delivery: Delivery<WebhookSettings>,
  ): Promise<AttemptReport> => {
    const { targetId, messageId, attemptNumber, settings, signal } = delivery;
    const count = (counts.get(targetId) ?? 0) + 1;
    counts.set(targetId, count);
    const chance = random.fork(`${targetId}/${count}`);
    const mood = moods.get(targetId) ?? sunny;
    const reaction = reactionOf(mood, chance);
    const answerMs = chance.fraction() * mood.slowestMs;
    const startedAt = time.now();
    trace.note(
      time.monotonic(),
      `${nodeId} sends ${messageId} #${attemptNumber}: ${reaction.kind}`,
    );
    const arrival: Arrival = {
      messageId,
      attemptNumber,
      // The URL names the account, because targets of two accounts may have the same id.
      accountId: new URL(settings.url).hostname,
      targetId,
      nodeId,
      payload: delivery.payload,
      startedAt,
      endedAt: null,
      status: null,
    };
    arrivals.push(arrival);
    return new Promise((resolve) => {
      const end = (status: number | null): void => {
        if (arrival.endedAt !== null) return;
        arrival.endedAt = time.now();
        arrival.status = status;
      };
      const tell = (report: Partial<AttemptReport>): void => {
        signal.removeEventListener("abort", breakOff);
        resolve({ ...unanswered, ...report });
      };
      const breakOff = (): void => {
        timer.cancel();
        end(null);
        tell({ error: "broken off" });
      };
      const answers = reaction.kind === "answers" && answerMs <= settings.timeoutMs;
      // The target answers even if the sender is gone.
      if (answers) time.after(answerMs, () => end(reaction.status));
      const tookMs = reaction.kind === "hangs" ? Infinity : answerMs;
      const timer = process.after(Math.min(tookMs, settings.timeoutMs), () => {
        end(null);
        if (answers) tell(reportOf(reaction.status, reaction.retryAfterMs));
        else if (tookMs > settings.timeoutMs) tell({ outcome: "TIMEOUT", error: "no answer" });
        else tell({ error: reaction.kind });
      });
      process.onDeath(() => end(null));
      if (signal.aborted) breakOff();
      else signal.addEventListener("abort", breakOff, { once: true });
    });
  };

  return {
    arrivals,
    setMood: (targetId, mood) => void moods.set(targetId, mood),
    kindFor: (nodeId, process) => ({
      kind: "webhook",
      signs: true,
      failures: webhookFailures,
      complete: async (given) => completeWebhook(given),
      merge: async (kept, change) => mergeWebhook(kept, change),
      view: viewWebhook,
      deliver: (delivery) => deliver(nodeId, process, delivery),
      close: async () => {},
    }),
  };
}

function reportOf(statusCode: number, retryAfterMs: number | null): Partial<AttemptReport> {
  const outcome = statusCode < 300 ? "DELIVERED" : "BAD_STATUS";
  return { outcome, statusCode, error: null, retryAfterMs };
}

const unanswered: AttemptReport = {
  outcome: "CONNECTION_FAILED",
  statusCode: null,
  error: "broken off",
  response: null,
  retryAfterMs: null,
};
