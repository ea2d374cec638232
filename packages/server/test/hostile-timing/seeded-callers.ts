import { setTimeout as sleep } from "node:timers/promises";
import type { Asked, AskedOptions, Due } from "../history/history.ts";
import type { Chance } from "../history/support/chance.ts";
import type { Api } from "../support/api.ts";
import { loggedCalls } from "../support/logged-calls.ts";
import type { LoggedCalls } from "../support/logged-calls.ts";
import { contend } from "./contending-callers.ts";
import { boundOf, inMs, optionsOf } from "./drawn-options.ts";
import type { PlannedAnswers } from "./planned-answers.ts";
import { chanceOf } from "./seeded-chance.ts";

type CallerKind = "awaiting" | "roaming" | "contending";

export interface CallersOptions {
  readonly seed: string;
  /** Callers whose calls wait for an attempt that ends at the bound of the wait. */
  readonly awaiting: number;
  /** Callers that send any request at any time. */
  readonly roaming: number;
  readonly cancelWaitMs: number;
  /** Callers that contend for few message keys. */
  readonly contending: number;
  readonly targetsOf: Readonly<Record<CallerKind, readonly string[]>>;
  readonly answers: PlannedAnswers;
  /** Picks one of the nodes that run. */
  readonly pick: () => Api;
}

export interface Callers {
  readonly asked: readonly Asked[];
  stop(): Promise<void>;
}

/** Callers that take every decision from the seed, and an operator who changes targets meanwhile. */
export function startCallers(options: CallersOptions): Callers {
  const { seed, targetsOf } = options;
  const asked: Asked[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const api: Api = (method, path, call) => options.pick()(method, path, call);
  const begin = (kind: CallerKind, act: Act) => (_: unknown, index: number) => {
    const name = `${kind === "awaiting" ? "awaited" : kind}-${index}`;
    const calls = loggedCalls(api, name, asked);
    const chance = chanceOf(seed, name);
    return repeat(signal, (round) =>
      act({
        ...options,
        calls,
        chance,
        signal,
        key: `${name}-${round}`,
        targetId: chance.pick(targetsOf[kind])!,
      }),
    );
  };
  const running = [
    ...Array.from({ length: options.awaiting }, begin("awaiting", waitForTheBound)),
    ...Array.from({ length: options.roaming }, begin("roaming", roam)),
    ...Array.from({ length: options.contending }, begin("contending", contend)),
    operate(api, chanceOf(seed, "operator"), Object.values(targetsOf).flat(), signal),
  ];
  return {
    asked,
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

export interface Round extends CallersOptions {
  readonly calls: LoggedCalls;
  readonly chance: Chance;
  readonly signal: AbortSignal;
  readonly key: string;
  readonly targetId: string;
}

type Act = (round: Round) => Promise<void>;

async function repeat(signal: AbortSignal, act: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; !signal.aborted; round++) await act(round);
}

/** From a little before the bound to a little after it. A busy machine receives the call late. */
const aroundTheBoundMs = { least: -20, most: 40 };

async function waitForTheBound(round: Round): Promise<void> {
  const { calls, chance, key, answers, cancelWaitMs } = round;
  const messageId = await scheduleUntilKnown(round, inMs(chance.between(20, 150)));
  if (messageId === undefined) return;
  await answers.arrived(key);
  await sleep(chance.between(0, 100));
  const change = (): Promise<unknown> =>
    chance.happens(0.6)
      ? calls.cancel(messageId)
      : calls.reschedule(messageId, inMs(cancelWaitMs + chance.between(100, 400)));
  const changes = [change()];
  answers.answer(key, cancelWaitMs + chance.between(aroundTheBoundMs.least, aroundTheBoundMs.most));
  if (chance.happens(0.3)) {
    await sleep(chance.between(0, 30));
    changes.push(change());
  }
  await Promise.all(changes);
  if (chance.happens(0.2)) await calls.get(messageId);
}

async function roam(round: Round): Promise<void> {
  const { calls, chance } = round;
  const options = chance.happens(0.3) ? optionsOf(chance) : {};
  const messageId = await scheduleUntilKnown(round, inMs(chance.between(0, 300)), options);
  if (messageId === undefined) return;
  for (let left = chance.between(0, 3); left > 0; left--) {
    await sleep(chance.between(0, 1_200));
    if (chance.happens(0.3)) await calls.get(messageId);
    const isCancel = chance.happens(0.35);
    const dueAt = inMs(chance.between(0, 1_500));
    const { answer } = isCancel
      ? await calls.cancel(messageId)
      : await calls.reschedule(messageId, dueAt, chance.happens(0.2) ? boundOf(chance) : undefined);
    // A caller that does not know the result decides again.
    if (answer.kind === "unknown" && chance.happens(0.7)) {
      await calls.reschedule(messageId, inMs(chance.between(0, 500)));
    }
  }
}

/** Changes nothing that affects a message, over and over. Each change locks the whole target. */
async function operate(
  api: Api,
  chance: Chance,
  targetIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (let count = 0; !signal.aborted; count++) {
    const body = { headers: { "x-count": String(count) } };
    await api("PATCH", `/v1/targets/${chance.pick(targetIds)}`, { body }).catch(() => {});
    await sleep(chance.between(20, 200));
  }
}

const tooLate = "E-DI-1001";

/**
 * Repeats a call whose answer was lost, with the same key, until an answer comes. Undefined if the run or the
 * message's bound is over.
 */
async function scheduleUntilKnown(
  { calls, key, targetId, signal }: Round,
  dueAt: Due,
  options: AskedOptions = {},
): Promise<string | undefined> {
  while (!signal.aborted) {
    const { answer } = await calls.schedule(key, targetId, dueAt, options);
    if (answer.kind === "ok") return answer.message.messageId;
    if (answer.kind === "refused" && answer.code === tooLate) return undefined;
    await sleep(50);
  }
  return undefined;
}
