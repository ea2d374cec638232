import type { EventPosition } from "../../../../domain/events/event.ts";
import type { Instant } from "../../../../domain/instant.ts";
import { oldEventsOf } from "../../../event-log/bundles.ts";
import type { LongLogs } from "../../../event-log/long-logs.ts";
import type { Run } from "../../connections/connections.ts";
import { bundlesBehind, readBundle } from "../../rows/bundle-rows.ts";
import type { WorkContext } from "../context.ts";
import { readClock } from "../read-clock.ts";

interface OldestLog {
  readonly accountId: string;
  readonly firstTime: Instant;
}

/**
 * Removes events from the beginning of the logs: first of those that are too long, then of the oldest. Several nodes may
 * do this at once: each waits for the other's log, and then finds what is left.
 */
export function removeOldEvents({ connections, eventRetentionMs, longLogs }: WorkContext) {
  return async (limit: number): Promise<{ removed: number; nextExpiry: Instant | null }> => {
    const now = await readClock(connections.query);
    const until = now - eventRetentionMs;
    let removed = 0;
    const removeFrom = (accountId: string): Promise<number> => {
      const order = { limit: limit - removed, until, longLogs };
      return connections.transaction((run) => removeSome(run, accountId, order));
    };
    while (removed < limit && longLogs.next !== undefined) {
      removed += await removeFrom(longLogs.next);
    }
    for (;;) {
      const oldest = await findOldest(connections.query);
      if (oldest === undefined) return { removed, nextExpiry: null };
      const nextExpiry = oldest.firstTime + eventRetentionMs;
      if (nextExpiry > now || removed >= limit) return { removed, nextExpiry };
      removed += await removeFrom(oldest.accountId);
    }
  };
}

async function findOldest(run: Run): Promise<OldestLog | undefined> {
  const [row] = await run({
    name: "find-oldest-log",
    text: `SELECT account_id, first_time FROM event_logs WHERE first_time IS NOT NULL
      ORDER BY first_time LIMIT 1`,
  });
  return row && { accountId: row["account_id"], firstTime: row["first_time"] };
}

interface RemovalOrder {
  readonly limit: number;
  readonly until: Instant;
  readonly longLogs: LongLogs<string>;
}

/** The lock keeps the mover from the log until the commit. */
async function removeSome(
  run: Run,
  accountId: string,
  { limit, until, longLogs }: RemovalOrder,
): Promise<number> {
  const [log] = await run({
    name: "lock-event-log",
    text: "SELECT removed_up_to, last_position FROM event_logs WHERE account_id = $1 FOR UPDATE",
    values: [accountId],
  });
  longLogs.forget(accountId);
  if (log === undefined) return 0;
  const removedUpTo = log["removed_up_to"] as EventPosition;
  const rows = await run({
    name: "see-old-events",
    // With the event behind the last one that may go.
    text: bundlesBehind("$1", "$2::bigint", "$3::int"),
    values: [accountId, removedUpTo, limit + 1],
  });
  const bundles = rows.map(readBundle);
  const last = log["last_position"] as EventPosition;
  const excessUpTo = longLogs.excessUpTo({ last });
  const old = oldEventsOf(bundles, removedUpTo, { until, excessUpTo, limit });
  const { upTo, mark, nextTime } = old;
  await run({
    name: "remove-old-events",
    text: `
      WITH gone AS (
        -- From there on: what was removed before may still be in the index.
        DELETE FROM event_bundles
        WHERE account_id = $1 AND last_position > $4 AND last_position <= $2
      )
      UPDATE event_logs SET removed_up_to = $2, first_time = $3,
        removed_mark = coalesce($5, removed_mark)
      WHERE account_id = $1`,
    values: [accountId, upTo, nextTime, removedUpTo, mark],
  });
  longLogs.saw(accountId, { last, removedUpTo: upTo });
  return upTo - removedUpTo;
}
