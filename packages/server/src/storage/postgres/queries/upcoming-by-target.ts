import type { TargetWindow, UpcomingByTarget } from "../../store.ts";
import type { WorkContext } from "./context.ts";

/**
 * Looks up the first message of each target in the index by target, however many wait behind it.
 * Skips paused targets, removed targets and targets of suspended accounts.
 */
export function upcomingByTarget({ connections }: WorkContext) {
  return async ({ after, until, limit }: TargetWindow): Promise<UpcomingByTarget> => {
    const rows = await connections.query({
      name: "upcoming-by-target",
      text: `
        WITH looked AS MATERIALIZED (
          SELECT t.account_id, t.target_key, t.revision FROM targets t
          JOIN accounts o ON o.account_id = t.account_id AND o.suspension_time IS NULL
          WHERE t.target_key > $1 AND t.removal_time IS NULL AND NOT t.paused
          ORDER BY t.target_key LIMIT $3
        )
        SELECT l.account_id, l.target_key, l.revision, first.next_delivery_time AS due_at
        FROM looked l LEFT JOIN LATERAL (
          SELECT m.next_delivery_time FROM messages m
          -- Messages in flight still stand at the head of the index.
          LEFT JOIN LATERAL (
            SELECT true AS held FROM claims c
            WHERE c.target_key = m.target_key AND c.message_id = m.message_id LIMIT 1) AS c ON true
          WHERE m.target_key = l.target_key AND m.next_delivery_time <= $2 AND c.held IS NULL
          ORDER BY m.next_delivery_time, m.message_id LIMIT 1) AS first ON true`,
      values: [
        after ?? beforeEveryTarget,
        Math.min(until, Number.MAX_SAFE_INTEGER),
        Math.min(limit, 2 ** 31 - 1),
      ],
    });
    const waiting = rows.filter((row) => row["due_at"] !== null);
    return {
      targets: waiting.map((row) => ({
        accountId: row["account_id"],
        targetKey: row["target_key"],
        revision: row["revision"],
        dueAt: row["due_at"],
      })),
      reached: rows.length < limit ? null : rows.at(-1)!["target_key"],
    };
  };
}

/** Keys start at 1. */
const beforeEveryTarget = 0;
