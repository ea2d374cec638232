import type { DueWindow, Upcoming } from "../../store.ts";
import type { Query } from "../connections/connections.ts";
import type { WorkContext } from "./context.ts";

/**
 * Reads only the index by time, at most `limit` of its entries, so messages outside the window cost
 * nothing. Skips claimed messages, and messages of paused targets, suspended accounts and removed
 * targets.
 */
export function upcoming({ connections, databaseClock }: WorkContext) {
  return async (window: DueWindow): Promise<Upcoming> => {
    const { limit } = window;
    const rows = await databaseClock.noticing(
      () => connections.query(lookingAt(window)),
      ([first]) => first!["now"],
    );
    const targets = rows
      .filter((row) => row["target_key"] !== null)
      .map((row) => ({
        accountId: row["account_id"] as string,
        targetKey: row["target_key"] as number,
        revision: row["revision"] as number,
        dueAt: row["due_at"] as number,
      }));
    const last = rows[0]!;
    const more = last["entries"] >= limit;
    return {
      targets,
      reached: more ? { time: last["last_time"], targetKey: last["last_key"] } : null,
    };
  };
}

function lookingAt({ after, until, limit }: DueWindow): Query {
  return {
    name: "upcoming",
    text: `
      WITH entries AS MATERIALIZED (
        SELECT next_delivery_time, target_key, message_id FROM messages
        WHERE (next_delivery_time, target_key) > ($1::bigint, $2::int) AND next_delivery_time <= $3
        ORDER BY next_delivery_time, target_key LIMIT $4
      ), last AS (
        SELECT next_delivery_time, target_key FROM entries
        ORDER BY next_delivery_time DESC, target_key DESC LIMIT 1
      ), unclaimed AS MATERIALIZED (
        SELECT e.target_key, min(e.next_delivery_time) AS due_at
        FROM entries e
        WHERE NOT EXISTS (SELECT 1 FROM claims c
          WHERE c.target_key = e.target_key AND c.message_id = e.message_id)
        GROUP BY e.target_key
      ), waiting AS (
        SELECT u.target_key, u.due_at, t.account_id, t.revision FROM unclaimed u
        JOIN targets t ON t.target_key = u.target_key AND NOT t.paused AND t.removal_time IS NULL
        JOIN accounts o ON o.account_id = t.account_id AND o.suspension_time IS NULL)
      SELECT c.now, w.target_key, w.due_at, w.account_id, w.revision,
        l.next_delivery_time AS last_time, l.target_key AS last_key,
        (SELECT count(*) FROM entries) AS entries
      FROM (SELECT now_ms() AS now) AS c LEFT JOIN last l ON true LEFT JOIN waiting w ON true`,
    values: [
      after?.time ?? Number.MIN_SAFE_INTEGER,
      after?.targetKey ?? 0,
      Math.min(until, Number.MAX_SAFE_INTEGER),
      Math.min(limit, 2 ** 31 - 1),
    ],
  };
}
