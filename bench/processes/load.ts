import { setTimeout as sleep } from "node:timers/promises";
import { Postdate } from "@postdate/client";
import { answerCalls } from "./answer-calls.ts";
import { Caller } from "./caller.ts";
import { batchRequest, batchSize, key, laterDraft, payloadOf, singleRequest } from "./requests.ts";
import type { Draft, MessageExtras } from "./requests.ts";

/** The process that calls the service. It makes all requests before the time begins to count. */

export interface Load {
  /** One or several nodes. The callers are spread over them. */
  readonly urls: readonly string[];
  readonly kind: "single" | "batch";
  readonly callers: number;
  readonly warmUpMs: number;
  readonly measuredMs: number;
  /** Undefined: plain messages. */
  readonly extras?: MessageExtras | undefined;
}

interface ClientLoad {
  readonly url: string;
  readonly callers: number;
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

interface Calling {
  readonly urls: readonly string[];
  readonly count: number;
  readonly callers?: number;
  /** The number of messages in a call. */
  readonly batch?: number;
}

interface Spike extends Calling {
  readonly targetIds: readonly string[];
  readonly dueAt: number;
}

interface Steady {
  readonly urls: readonly string[];
  /** The messages go to these targets one after the other. */
  readonly targetIds: readonly string[];
  readonly perSecond: number;
  readonly count: number;
  readonly startAt: number;
  readonly leadMs: number;
}

interface SteadyLater {
  readonly urls: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
}

const callsPerSecond = 50;

/** More than a server accepts in a second, so that few requests are sent twice. */
const madePerSecond = { single: 25_000, batch: 120 };
const madeAtMost = { single: 120_000, batch: 500 };

const calls = {
  /** Returns how many messages a second were accepted. They are due much later. */
  async scheduleLater(load: Load): Promise<number> {
    const { urls, kind, callers, warmUpMs, measuredMs } = load;
    const wanted = Math.ceil((madePerSecond[kind] * (warmUpMs + measuredMs)) / 1_000);
    const requests = madeRequests(load, Math.min(wanted, madeAtMost[kind]));
    const perRequest = kind === "single" ? 1 : batchSize;
    const connections = await connectAll(urls, callers);
    const countFrom = performance.now() + warmUpMs;
    const until = countFrom + measuredMs;
    let next = 0;
    let accepted = 0;
    // Counts from answer to answer. With few large requests, the edges of the time would matter.
    let firstAt = 0;
    let lastAt = 0;
    const work = async (caller: Caller): Promise<void> => {
      for (;;) {
        await caller.send(requests[next++ % requests.length]!);
        const now = performance.now();
        if (now >= until) return;
        if (now < countFrom) continue;
        if (firstAt === 0) firstAt = now;
        else accepted += perRequest;
        lastAt = now;
      }
    };
    await Promise.all(connections.map(work));
    for (const caller of connections) caller.close();
    if (accepted === 0) throw new Error("nothing was accepted while the time counted");
    return (accepted * 1_000) / (lastAt - firstAt);
  },

  /** As `scheduleLater`, by concurrent calls of one client, which makes its requests as it goes. */
  async scheduleThroughClient(load: ClientLoad): Promise<number> {
    const { url, callers, warmUpMs, measuredMs } = load;
    const { messages } = new Postdate({ url, key });
    const now = Date.now();
    const drafts = laterDrafts(10_000, now).map(({ targetId, dueAt, number }) => ({
      targetId,
      deliveryTime: new Date(dueAt).toISOString(),
      payload: payloadOf(number, dueAt),
    }));
    const countFrom = performance.now() + warmUpMs;
    const until = countFrom + measuredMs;
    let next = 0;
    let accepted = 0;
    const work = async (): Promise<void> => {
      for (;;) {
        await messages.schedule(drafts[next++ % drafts.length]!);
        const answeredAt = performance.now();
        if (answeredAt >= until) return;
        if (answeredAt >= countFrom) accepted++;
      }
    };
    await Promise.all(Array.from({ length: callers }, work));
    return (accepted * 1_000) / measuredMs;
  },

  /** Schedules as fast as the server accepts. All are due at one instant, spread over the targets. */
  async scheduleAt(spike: Spike): Promise<{ readonly endedAt: number }> {
    const { targetIds, dueAt } = spike;
    const draftOf = (number: number): Draft => ({
      targetId: targetIds[number % targetIds.length]!,
      dueAt,
      number,
    });
    await scheduleAll(spike, draftOf);
    return { endedAt: Date.now() };
  },

  /**
   * Schedules a backlog in batches. Each call is in the order of targets and times, so that it fills
   * the pages of an index once a call and not once a message. Over several calls the pages become as
   * full as with messages in any order.
   */
  async fill(all: Calling): Promise<void> {
    const drafts = laterDrafts(all.count, Date.now()).toSorted((a, b) =>
      a.targetId === b.targetId ? a.dueAt - b.dueAt : a.targetId < b.targetId ? -1 : 1,
    );
    await scheduleAll(all, (number) => drafts[number]!);
  },

  /** Schedules in small batches. The messages are due much later. */
  async scheduleLaterSteadily({ urls, perSecond, seconds }: SteadyLater): Promise<void> {
    const url = urls[0]!;
    const now = Date.now();
    const requests = Array.from({ length: callsPerSecond * seconds }, () =>
      batchRequest(url, laterDrafts(perSecond / callsPerSecond, now)),
    );
    const caller = await Caller.connect(url);
    const from = performance.now();
    for (const [index, request] of requests.entries()) {
      const waitMs = from + (index * 1_000) / callsPerSecond - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      await caller.send(request);
    }
    caller.close();
  },

  /** Schedules one message per call, each for a different instant, and a fixed time before it. */
  async scheduleSteadily(steady: Steady): Promise<void> {
    const { urls, targetIds, perSecond, count, startAt, leadMs } = steady;
    const requests = Array.from({ length: count }, (_, number) => {
      const dueAt = startAt + Math.round((number * 1_000) / perSecond);
      const draft = { targetId: targetIds[number % targetIds.length]!, dueAt, number };
      return { sendAt: dueAt - leadMs, bytes: singleRequest(urls[0]!, draft) };
    });
    const idle = urls.map((): Caller[] => []);
    const send = async (node: number, bytes: Buffer): Promise<void> => {
      const last = idle[node]!.pop();
      if (last?.isFresh === false) last.close();
      const caller = last?.isFresh === true ? last : await Caller.connect(urls[node]!);
      await caller.send(bytes);
      idle[node]!.push(caller);
    };
    const sending: Promise<void>[] = [];
    for (const [index, { sendAt, bytes }] of requests.entries()) {
      const waitMs = sendAt - Date.now();
      if (waitMs > 0) await sleep(waitMs);
      sending.push(send(index % urls.length, bytes));
    }
    await Promise.all(sending);
    for (const caller of idle.flat()) caller.close();
  },
};
export type LoadCalls = typeof calls;
answerCalls(calls);

function madeRequests({ urls, kind, extras }: Load, count: number): Buffer[] {
  const url = urls[0]!;
  const now = Date.now();
  return kind === "single"
    ? laterDrafts(count, now, extras).map((draft) => singleRequest(url, draft))
    : Array.from({ length: count }, () => batchRequest(url, laterDrafts(batchSize, now, extras)));
}

function laterDrafts(count: number, now: number, extras?: MessageExtras): Draft[] {
  return Array.from({ length: count }, (_, number) => laterDraft(number, now, extras));
}

async function scheduleAll(
  { urls, count, callers = 4, batch = batchSize }: Calling,
  draftOf: (number: number) => Draft,
): Promise<void> {
  const connections = await connectAll(urls, callers);
  let next = 0;
  const work = async (caller: Caller): Promise<void> => {
    while (next < count) {
      const from = next;
      next = Math.min(next + batch, count);
      const drafts = Array.from({ length: next - from }, (_, index) => draftOf(from + index));
      const url = urls[0]!;
      await caller.send(batch === 1 ? singleRequest(url, drafts[0]!) : batchRequest(url, drafts));
    }
  };
  await Promise.all(connections.map(work));
  for (const caller of connections) caller.close();
}

function connectAll(urls: readonly string[], callers: number): Promise<Caller[]> {
  const connect = (_: unknown, index: number) => Caller.connect(urls[index % urls.length]!);
  return Promise.all(Array.from({ length: callers }, connect));
}
