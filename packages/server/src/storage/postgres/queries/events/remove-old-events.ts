import type { Instant } from "../../../../domain/instant.ts";
import type { Run } from "../../connections/connections.ts";
import type { WorkContext } from "../context.ts";
import { readClock } from "../read-clock.ts";

interface OldestLog {
  readonly accountId: string;
  readonly firstTime: Instant;
}

/**
 * Removes events from the beginning of the logs, the oldest log first. Several nodes may do this at once: each waits for
 * the other's log, and then finds what is left.
 */
export function removeOldEvents({ connections, eventRetentionMs }: WorkContext) {
  return async (limit: number): Promise<{ removed: number; nextExpiry: Instant | null }> => {
    const now = await readClock(connections.query);
    let removed = 0;
    for (;;) {
      const oldest = await findOldest(connections.query);
      if (oldest === undefined) return { removed, nextExpiry: null };
      const nextExpiry = oldest.firstTime + eventRetentionMs;
      if (nextExpiry > now || removed >= limit) return { removed, nextExpiry };
      const order = { limit: limit - removed, until: now - eventRetentionMs };
      removed += await connections.transaction((run) => removeSome(run, oldest.accountId, order));
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

/** The lock keeps the mover from the log until the commit. */
async function removeSome(
  run: Run,
  accountId: string,
  { limit, until }: { readonly limit: number; readonly until: Instant },
): Promise<number> {
  await run({
    name: "lock-event-log",
    text: "SELECT 1 FROM event_logs WHERE account_id = $1 FOR UPDATE",
    values: [accountId],
  });
  const [row] = await run({
    name: "remove-old-events",
    text: `
      WITH log AS MATERIALIZED (
        SELECT removed_up_to FROM event_logs WHERE account_id = $1
      ), looked AS MATERIALIZED (
        SELECT position, log_time FROM events
        WHERE account_id = $1 AND position > (SELECT removed_up_to FROM log)
        ORDER BY position LIMIT $2::int + 1
      ), last AS MATERIALIZED (
        SELECT coalesce(max(position), (SELECT removed_up_to FROM log)) AS position
        FROM (SELECT position, log_time FROM looked ORDER BY position LIMIT $2::int) AS first_ones
        WHERE log_time <= $3
      ), gone AS (
        DELETE FROM events WHERE account_id = $1
          AND position > (SELECT removed_up_to FROM log) AND position <= (SELECT position FROM last)
      )
      UPDATE event_logs SET removed_up_to = last.position,
        first_time = (SELECT min(log_time) FROM looked WHERE looked.position > last.position)
      FROM last WHERE account_id = $1
      RETURNING last.position - (SELECT removed_up_to FROM log) AS removed`,
    values: [accountId, limit, until],
  });
  return (row?.["removed"] as number | undefined) ?? 0;
}
