import { setTimeout as sleep } from "node:timers/promises";
import type { LoggedCalls } from "../../support/logged-calls.ts";

export interface SteadyOptions {
  readonly targetId: string;
  readonly everyMs: number;
  /** How long before a message is due it is scheduled. */
  readonly aheadMs: number;
  /** What the service's clock shows, less this one's. */
  readonly clockOffMs?: number;
}

/** Schedules one message after the other at a steady pace, however long the answers take, until told. */
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
