import type { Clock } from "../../platform/clock.ts";
import type { Timers } from "../../platform/timers.ts";
import { pause } from "../../platform/timers.ts";
import type { ScheduleRequest, ScheduleResult, Store } from "../../storage/store.ts";

export interface ScheduleDecidedOptions {
  readonly store: Pick<Store, "scheduleMessages" | "rescheduleMessage">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** How long to wait for the outcome of an attempt in flight. */
  readonly cancelWaitMs: number;
}

/** Asks again while an attempt at the holder of a key is in flight. "held": it still was after the wait. */
export function scheduleDecided(
  options: ScheduleDecidedOptions,
  requests: readonly ScheduleRequest[],
): Promise<ScheduleResult[]> {
  const anyKey = requests.some(({ wantedKey }) => wantedKey !== undefined);
  return anyKey ? untilDecided(options, requests) : options.store.scheduleMessages(requests);
}

async function untilDecided(
  options: ScheduleDecidedOptions,
  requests: readonly ScheduleRequest[],
): Promise<ScheduleResult[]> {
  const { store, clock, cancelWaitMs } = options;
  const results = await store.scheduleMessages(requests);
  const deadline = clock.monotonic() + cancelWaitMs;
  for (;;) {
    const held = results.flatMap((result, index) =>
      result.kind === "held" ? [{ index, request: requests[index]!, ...result }] : [],
    );
    const leftMs = deadline - clock.monotonic();
    if (held.length === 0 || leftMs <= 0) return results;
    await Promise.all(
      held.map(({ request, messageId }) =>
        attemptOver(options, request.accountId, messageId, leftMs),
      ),
    );
    const again = await store.scheduleMessages(held.map(({ request }) => request));
    for (const [position, { index }] of held.entries()) results[index] = again[position]!;
  }
}

/** After another call has changed the holder over and over. */
const askAgainMs = 20;

/** No attempt could start, so this is always refused. */
const impossible = { deliveryTime: 0, bound: { notAfter: 0 }, whileScheduled: true } as const;

/**
 * Resolves when no attempt at the message is in flight, or after the time. A reschedule waits for that, and the
 * failed message then leaves its caller a moment before it is attempted again.
 */
async function attemptOver(
  { store, timers }: ScheduleDecidedOptions,
  accountId: string,
  messageId: string | null,
  waitMs: number,
): Promise<void> {
  if (messageId === null) await pause(timers, Math.min(askAgainMs, waitMs));
  else await store.rescheduleMessage({ accountId, messageId, ...impossible, waitMs });
}
