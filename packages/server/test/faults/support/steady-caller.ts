import { setTimeout as sleep } from "node:timers/promises";
import type { LoggedCalls } from "../../support/logged-calls.ts";

export interface SteadyOptions {
  readonly targetId: string;
  readonly everyMs: number;
  /** How long before a message is due it is scheduled. */
  readonly aheadMs: number;
  /** How far the service's clock is ahead of the clock here. */
  readonly clockOffMs?: number;
}

/** Schedules messages at a steady pace until it is stopped, however long the answers take. */
export async function scheduleSteadily(
  calls: LoggedCalls,
  { targetId, everyMs, aheadMs, clockOffMs = 0 }: SteadyOptions,
  stop: AbortSignal,
): Promise<void> {
  const start = Date.now();
  const answers: Promise<unknown>[] = [];
  for (let count = 0; !stop.aborted; count++) {
    const at = start + count * everyMs;
    await sleep(Math.max(0, at - Date.now()));
    const dueAt = Date.now() + clockOffMs + aheadMs;
    answers.push(calls.schedule(`${targetId}-${count}`, targetId, dueAt));
  }
  await Promise.all(answers);
}
