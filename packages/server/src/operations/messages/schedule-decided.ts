import type { ScheduleRequest, ScheduleResult, Store } from "../../storage/store.ts";
import { attemptsOver } from "./holder-waits.ts";
import type { HolderWaitsOptions } from "./holder-waits.ts";
import { KeyLines } from "./key-lines.ts";

export interface ScheduleDecidedOptions extends HolderWaitsOptions {
  readonly store: Pick<Store, "scheduleMessages" | "rescheduleMessage">;
  /** How long to wait for the outcome of an attempt in flight. */
  readonly cancelWaitMs: number;
}

/**
 * Asks again while an attempt at the holder of a key is in flight. "held": it still was after the wait, or the
 * caller is gone. All requests are of one account. Few calls wait, so `callerGone` is called by those alone.
 */
export function scheduleDecided(
  options: ScheduleDecidedOptions,
  requests: readonly ScheduleRequest[],
  callerGone?: () => AbortSignal,
): Promise<ScheduleResult[]> {
  const anyKey = requests.some(({ wantedKey }) => wantedKey !== undefined);
  return anyKey
    ? untilDecided(options, requests, callerGone)
    : options.store.scheduleMessages(requests);
}

async function untilDecided(
  options: ScheduleDecidedOptions,
  requests: readonly ScheduleRequest[],
  callerGone: (() => AbortSignal) | undefined,
): Promise<ScheduleResult[]> {
  const { store, clock, cancelWaitMs } = options;
  const { accountId } = requests[0]!;
  const deadline = clock.monotonic() + cancelWaitMs;
  const results: ScheduleResult[] = Array.from({ length: requests.length });
  const lines = new KeyLines(requests);
  let gone: AbortSignal | undefined;
  for (let waitedBefore = 0; ;) {
    const turn = lines.nextTurn();
    if (turn.length > 0) {
      const decided = await store.scheduleMessages(turn.map((index) => requests[index]!));
      for (const [position, index] of turn.entries()) results[index] = decided[position]!;
      lines.leave(turn, results);
      continue;
    }
    const held = lines.held(results);
    if (held.length === 0) return results;
    if (clock.monotonic() >= deadline) {
      lines.refuseHeld(results);
      continue;
    }
    const messageIds = new Set(held.map(({ messageId }) => messageId));
    gone ??= callerGone?.();
    await attemptsOver(options, {
      accountId,
      messageIds,
      deadline,
      waitedBefore,
      callerGone: gone,
    });
    if (gone?.aborted === true) return lines.endHeld(results);
    waitedBefore++;
    lines.askAgain();
  }
}
