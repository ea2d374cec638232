import { oldestKeptMonth } from "../../../domain/usage.ts";
import type { Context } from "../context.ts";
import { readClock } from "./read-clock.ts";

/** Terminal messages with their attempts, idempotency keys and months of usage whose time has passed. */
export function removeExpired({ connections }: Context) {
  return async (limit: number): Promise<{ removed: number; nextExpiry: number | null }> => {
    // Handed in, since what the database must ask its clock for in every row cannot bound an index.
    const now = await readClock(connections);
    const [row] = await connections.query({
      name: "remove-expired",
      text: `
        WITH old AS MATERIALIZED (
          SELECT message_id FROM messages WHERE expiration_time <= $3
          ORDER BY expiration_time LIMIT $1 FOR UPDATE SKIP LOCKED
        ), old_keys AS MATERIALIZED (
          SELECT account_id, key FROM idempotency_keys WHERE expiration_time <= $3
          ORDER BY expiration_time LIMIT $1 FOR UPDATE SKIP LOCKED
        ), old_usage AS MATERIALIZED (
          SELECT month, account_id, share FROM usage_shares WHERE month < $2
          LIMIT $1 FOR UPDATE SKIP LOCKED
        ), gone_attempts AS (
          DELETE FROM attempts WHERE message_id IN (SELECT message_id FROM old)
        ), gone AS (
          DELETE FROM messages WHERE message_id IN (SELECT message_id FROM old)
        ), gone_keys AS (
          DELETE FROM idempotency_keys k USING old_keys o
          WHERE k.account_id = o.account_id AND k.key = o.key
        ), gone_usage AS (
          DELETE FROM usage_shares u USING old_usage o
          WHERE u.month = o.month AND u.account_id = o.account_id AND u.share = o.share
        )
        SELECT (SELECT count(*) FROM old)::int + (SELECT count(*) FROM old_keys)::int
          + (SELECT count(*) FROM old_usage)::int AS removed`,
      values: [limit, oldestKeptMonth(now), now],
    });
    const [next] = await connections.query({
      name: "next-expiry",
      text: `SELECT least(
        (SELECT min(expiration_time) FROM messages WHERE expiration_time IS NOT NULL),
        (SELECT min(expiration_time) FROM idempotency_keys)) AS expiry`,
    });
    return { removed: row!["removed"] as number, nextExpiry: next!["expiry"] as number | null };
  };
}
