import type { Clock } from "../../platform/clock.ts";
import type { Timers } from "../../platform/timers.ts";
import { pause } from "../../platform/timers.ts";
import type { ScheduleRequest, ScheduleResult, Store } from "../../storage/store.ts";

export interface ScheduleDecidedOptions {
  readonly store: Pick<Store, "scheduleMessages">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** How long to wait for the outcome of an attempt in flight. */
  readonly cancelWaitMs: number;
}

/** An attempt takes some milliseconds at least. */
const askAgainMs = 20;

/** Asks again while an attempt at the holder of a key is in flight. "held": it still was after the wait. */
export function scheduleDecided(
  options: ScheduleDecidedOptions,
  requests: readonly ScheduleRequest[],
): Promise<ScheduleResult[]> {
  const anyKey = requests.some(({ wantedKey }) => wantedKey !== undefined);
  return anyKey ? untilDecided(options, requests) : options.store.scheduleMessages(requests);
}

async function untilDecided(
  { store, clock, timers, cancelWaitMs }: ScheduleDecidedOptions,
  requests: readonly ScheduleRequest[],
): Promise<ScheduleResult[]> {
  const results = await store.scheduleMessages(requests);
  const deadline = clock.monotonic() + cancelWaitMs;
  for (;;) {
    const held = [...results.keys()].filter((index) => results[index]!.kind === "held");
    if (held.length === 0 || clock.monotonic() >= deadline) return results;
    await pause(timers, askAgainMs);
    const again = await store.scheduleMessages(held.map((index) => requests[index]!));
    for (const [position, index] of held.entries()) results[index] = again[position]!;
  }
}
