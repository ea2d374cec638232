import type { Receiver } from "../../support/receiver.ts";

/** What a receiver sees of a backlog that drains. */
export interface WatchedDrain {
  /** Resolves once so many requests have come for other targets than `t`. */
  readonly drained: Promise<void>;
  /** The most that a target had in hand at once. */
  mostAtOnce(targetId: string): number;
}

/** Takes its time, so that a target may well have several in hand at once. */
const answerAfterMs = 5;

export function watchDrain(receiver: Receiver, count: number): WatchedDrain {
  const drained = Promise.withResolvers<void>();
  const inHand = new Map<string, number>();
  const most = new Map<string, number>();
  let left = count;
  receiver.answerWith(({ headers }, response) => {
    const targetId = String(headers["postdate-target"]);
    const now = (inHand.get(targetId) ?? 0) + 1;
    inHand.set(targetId, now);
    most.set(targetId, Math.max(now, most.get(targetId) ?? 0));
    setTimeout(() => {
      inHand.set(targetId, inHand.get(targetId)! - 1);
      response.writeHead(204).end();
      if (targetId !== "t" && --left === 0) drained.resolve();
    }, answerAfterMs);
  });
  return { drained: drained.promise, mostAtOnce: (targetId) => most.get(targetId) ?? 0 };
}
