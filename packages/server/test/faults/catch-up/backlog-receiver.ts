import type { Receiver } from "../../support/receiver.ts";

/** What a receiver observes while a backlog drains. */
export interface WatchedDrain {
  /** Resolves once the expected number of requests has come for targets other than `t`. */
  readonly drained: Promise<void>;
  /** The most requests that a target had open at once. */
  mostAtOnce(targetId: string): number;
}

/** Slow enough that a target can have several requests open at once. */
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
