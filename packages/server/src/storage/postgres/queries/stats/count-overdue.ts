import type { OverdueRequest, OverdueSlice } from "../../../store.ts";
import type { Connections } from "../../connections/connections.ts";
import type { WorkContext } from "../context.ts";

/** The most messages that one statement reads in an index. */
const mostRead = 20_000;
const targetsAtATime = 500;

/**
 * Usually little is due, and one look at the index by time finds all of it. When more is due than fits, perhaps at
 * paused targets, this walks through the targets instead.
 */
export function countOverdue({ connections }: WorkContext) {
  return async ({ until, after, mostOfOne }: OverdueRequest): Promise<OverdueSlice> =>
    after === null
      ? countByTime(connections, until)
      : countByTarget(connections, until, Number(after), Math.min(mostOfOne, mostRead));
}

/** Keys start at 1. */
const beforeEveryTarget = "0";

async function countByTime({ query }: Connections, until: number): Promise<OverdueSlice> {
  const [row] = await query({
    name: "count-overdue-by-time",
    text: `
      WITH due AS MATERIALIZED (
        SELECT next_delivery_time, target_key FROM messages WHERE next_delivery_time <= $1
        ORDER BY next_delivery_time, target_key LIMIT ${mostRead}
      ), by_target AS MATERIALIZED (
        SELECT target_key, count(*) AS due, min(next_delivery_time) AS oldest FROM due GROUP BY target_key)
      SELECT (SELECT count(*)::int FROM due) AS looked, coalesce(sum(b.due), 0)::int AS count,
        min(b.oldest) AS oldest
      FROM by_target b
      -- The limit keeps this a look-up for each target, whatever the planner believes of their number.
      CROSS JOIN LATERAL (
        SELECT true FROM targets t
        JOIN accounts o ON o.account_id = t.account_id AND o.suspension_time IS NULL
        WHERE t.target_key = b.target_key AND NOT t.paused AND t.removal_time IS NULL LIMIT 1) AS open`,
    values: [until],
  });
  return (row!["looked"] as number) < mostRead
    ? {
        count: row!["count"] as number,
        oldestDueAt: row!["oldest"] as number | null,
        reached: null,
      }
    : { count: 0, oldestDueAt: null, reached: beforeEveryTarget };
}

async function countByTarget(
  { query }: Connections,
  until: number,
  after: number,
  mostOfOne: number,
): Promise<OverdueSlice> {
  const rows = await query({
    name: "count-overdue-by-target",
    text: `
      WITH looked AS MATERIALIZED (
        SELECT t.target_key FROM targets t
        JOIN accounts o ON o.account_id = t.account_id AND o.suspension_time IS NULL
        WHERE t.target_key > $1 AND t.removal_time IS NULL AND NOT t.paused
        ORDER BY t.target_key LIMIT ${targetsAtATime}
      ), due AS MATERIALIZED (
        SELECT l.target_key, m.time FROM looked l CROSS JOIN LATERAL (
          SELECT next_delivery_time AS time FROM messages
          WHERE target_key = l.target_key AND next_delivery_time <= $2
          ORDER BY next_delivery_time, message_id LIMIT $3) AS m
        LIMIT ${mostRead})
      SELECT k.*, d.* FROM
        (SELECT count(*)::int AS looked, max(target_key) AS last FROM looked) AS k LEFT JOIN
        (SELECT target_key, count(*)::int AS count, min(time) AS oldest FROM due GROUP BY target_key) AS d ON true
      ORDER BY d.target_key`,
    values: [after, until, mostOfOne],
  });
  const found = rows
    .filter((row) => row["target_key"] !== null)
    .map((row) => ({
      targetKey: row["target_key"] as number,
      count: row["count"] as number,
      oldest: row["oldest"] as number,
    }));
  const isCut = sum(found) >= mostRead;
  // The limit may have cut its last target short. The next call counts it again, unless it alone fills a call.
  const counted = isCut && found.length > 1 ? found.slice(0, -1) : found;
  const last = isCut ? counted.at(-1)!.targetKey : (rows[0]!["last"] as number | null);
  const isEnd = !isCut && (rows[0]!["looked"] as number) < targetsAtATime;
  return {
    count: sum(counted),
    oldestDueAt: counted.length === 0 ? null : Math.min(...counted.map(({ oldest }) => oldest)),
    reached: isEnd ? null : String(last),
  };
}

function sum(targets: readonly { readonly count: number }[]): number {
  return targets.reduce((total, { count }) => total + count, 0);
}
