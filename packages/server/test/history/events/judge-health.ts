import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import { defaultFailingAfter } from "../../../src/domain/failing-after.ts";
import type { FailingAfter } from "../../../src/domain/failing-after.ts";

/** The failures of a target since its last success. */
interface Row {
  count: number;
  since: number;
  isFailing: boolean;
}

/**
 * Counts the failures in a row of each target, as the log tells its attempts, and holds `target.failing` and
 * `target.recovered` against that. Each follows the attempt that makes it, before the next one of the target.
 */
export function judgeHealth(
  log: readonly LoggedEvent[],
  failingAfter: ReadonlyMap<string, FailingAfter> = new Map(),
): string[] {
  const problems: string[] = [];
  const rows = new Map<string, Row>();
  const owed = new Map<string, string>();
  const settle = (targetId: string): void => {
    const still = owed.get(targetId);
    if (still !== undefined) problems.push(`${targetId} was not told about: ${still}`);
    owed.delete(targetId);
  };
  for (const { type, time, data } of log) {
    if (type === "target.failing" || type === "target.recovered") {
      const { targetId } = data.target!;
      const told = `${type} after ${data.health!.failedAttempts} since ${data.health!.since}`;
      const due = owed.get(targetId);
      if (due !== told) problems.push(`${targetId}: ${told}, where ${due ?? "nothing"} was due`);
      owed.delete(targetId);
      continue;
    }
    if (data.attempt === undefined || type === "message.dead_lettered") continue;
    const { targetId } = data.message!;
    settle(targetId);
    // The server stopped, which says nothing about the target.
    if (data.attempt.outcome === "INTERRUPTED") continue;
    const row = rows.get(targetId) ?? { count: 0, since: time, isFailing: false };
    if (type === "message.delivered") {
      rows.delete(targetId);
      if (row.isFailing)
        owed.set(targetId, `target.recovered after ${row.count} since ${row.since}`);
      continue;
    }
    const { attempts, ms } = failingAfter.get(targetId) ?? defaultFailingAfter;
    row.count++;
    rows.set(targetId, row);
    if (row.isFailing || row.count < attempts || time - row.since < ms) continue;
    row.isFailing = true;
    owed.set(targetId, `target.failing after ${row.count} since ${row.since}`);
  }
  for (const targetId of owed.keys()) settle(targetId);
  return problems;
}
