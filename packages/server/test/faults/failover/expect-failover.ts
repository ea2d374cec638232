import { expect } from "vitest";
import { expectKept } from "../../history/expect-kept.ts";
import { nodeCount } from "./failover-run.ts";
import type { FailoverRun } from "./failover-run.ts";
import { durationMs, isAcknowledged, isRefused } from "./watched-calls.ts";
import type { Call } from "./watched-calls.ts";

/** A call to the database may take 8 s. The rest allows for a busy machine. */
const longestCallMs = 8_000 + 1_500;
/** A schedule may first wait for those before it, which wait 5 s for locks in vain. */
const longestScheduleMs = 5_000 + longestCallMs;
/** A cancel or reschedule may first wait for an attempt in flight. */
const longestChangeMs = longestCallMs + 5_000;

export interface Figures {
  readonly acknowledged: number;
  readonly refused: number;
  readonly unanswered: number;
  readonly longestScheduleMs: number;
  readonly longestChangeMs: number;
  /** The longest time without an acknowledgement. */
  readonly longestGapMs: number;
  /** Deliveries beyond those on record. */
  readonly duplicates: number;
}

/** Expects that every promise is kept, every request was answered in time, and no node was restarted. */
export function expectUnharmed({ history, calls, kept, unbroken }: FailoverRun): Figures {
  const { duplicates } = expectKept(history);
  expect(unbroken).toBe(nodeCount);
  // Writers repeated each key until it was acknowledged. So each refused call took effect once or never.
  // Otherwise there would be messages that no writer knows.
  const keys = history.asked.flatMap((call) => (call.verb === "schedule" ? call.key : []));
  expect(kept).toBe(new Set(keys).size);
  const changes = calls.filter(({ path }) => /\/(?:cancel|reschedule)$/.test(path));
  const schedules = calls.filter((call) => !changes.includes(call));
  const figures = {
    acknowledged: calls.filter(isAcknowledged).length,
    refused: calls.filter(isRefused).length,
    unanswered: calls.filter(({ answer }) => answer === undefined).length,
    longestScheduleMs: longest(schedules),
    longestChangeMs: longest(changes),
    longestGapMs: longestGap(calls.filter(isAcknowledged)),
    duplicates,
  };
  const odd = calls.filter((call) => (call.answer?.status ?? 500) >= 500 && !isRefused(call));
  expect(odd.map(({ path, answer }) => `${path}: ${answer?.status} ${answer?.text}`)).toEqual([]);
  expect(figures.refused).toBeGreaterThan(0);
  expect(figures.longestScheduleMs).toBeLessThan(longestScheduleMs);
  expect(figures.longestChangeMs).toBeLessThan(longestChangeMs);
  return figures;
}

function longest(calls: readonly Call[]): number {
  return calls.reduce((most, call) => Math.max(most, durationMs(call)), 0);
}

function longestGap(calls: readonly Call[]): number {
  const times = calls.map(({ answeredAt }) => answeredAt).toSorted((a, b) => a - b);
  return times.reduce((most, at, index) => Math.max(most, at - (times[index - 1] ?? at)), 0);
}
