import type { Attempt } from "../../src/domain/attempt.ts";
import type { Receipt } from "./history.ts";
import { attemptsOf } from "./message-log.ts";
import type { MessageLog } from "./message-log.ts";
import type { StoreClock } from "./store-clock.ts";

export interface MatchedAttempts {
  /** What the target observed of each recorded attempt, by attempt number. */
  readonly receiptOf: ReadonlyMap<number, Receipt>;
  /** What the target observed that is not on record. */
  readonly unrecorded: readonly Receipt[];
}

/** If an attempt is not recorded, the next one has the same number. */
export function matchAttempts(log: MessageLog, clock: StoreClock): MatchedAttempts {
  // The record has the store's time, which may differ from the observers' after a step.
  const distance = ({ startTime }: Attempt, { startedAt }: Receipt): number =>
    Math.abs(clock.latest(startedAt, startedAt) - startTime);
  const receiptOf = new Map<number, Receipt>();
  if (log.final == null) return { receiptOf, unrecorded: [] };
  const left = [...log.receipts];
  for (const attempt of attemptsOf(log)) {
    let best = -1;
    for (const [index, receipt] of left.entries()) {
      if (receipt.attemptNumber !== attempt.number) continue;
      // A clock that was set back can show one time twice. Then the later one is on record.
      if (best < 0 || distance(attempt, receipt) <= distance(attempt, left[best]!)) best = index;
    }
    if (best >= 0) receiptOf.set(attempt.number, left.splice(best, 1)[0]!);
  }
  return { receiptOf, unrecorded: left };
}
