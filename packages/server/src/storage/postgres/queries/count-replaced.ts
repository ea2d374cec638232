import type { Instant } from "../../../domain/instant.ts";
import { monthOf } from "../../../domain/usage.ts";
import type { Run } from "../connections/connections.ts";
import type { Meetings } from "./meet-holders.ts";

/**
 * Counts the messages whose content is replaced against the limits of their accounts. False if an account finds
 * no share that nobody holds and that has room for all of its messages.
 */
export async function countReplaced(run: Run, meetings: Meetings, now: Instant): Promise<boolean> {
  const counts = new Map<string, number>();
  for (const [{ request }, { kind }] of meetings) {
    if (kind !== "in-place") continue;
    counts.set(request.accountId, (counts.get(request.accountId) ?? 0) + 1);
  }
  if (counts.size === 0) return true;
  const counted = await run({
    name: "count-replaced-messages",
    text: `
      WITH share AS MATERIALIZED (
        SELECT a.account_id, a.count, s.share
        FROM unnest($2::text[], $3::int[]) AS a(account_id, count)
        CROSS JOIN LATERAL (
          SELECT share FROM usage_shares s
          WHERE s.month = $1 AND s.account_id = a.account_id
            AND (s.granted IS NULL OR s.granted - s.used >= a.count)
          LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS s)
      UPDATE usage_shares u SET used = u.used + share.count FROM share
      WHERE u.month = $1 AND u.account_id = share.account_id AND u.share = share.share
      RETURNING u.account_id`,
    values: [monthOf(now), [...counts.keys()], [...counts.values()]],
  });
  return counted.length === counts.size;
}
