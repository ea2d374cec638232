import type { Connections } from "../connections/connections.ts";

/** The runs expire. One that a step has locked goes the next time. */
const removeStatement = `
  WITH found AS MATERIALIZED (
    SELECT schedule_key FROM schedules WHERE account_id = $1 LIMIT $2
  ), locked AS MATERIALIZED (
    SELECT h.schedule_key FROM found
    JOIN schedule_states h ON h.schedule_key = found.schedule_key FOR UPDATE OF h SKIP LOCKED
  ), gone_states AS (
    DELETE FROM schedule_states h USING locked WHERE h.schedule_key = locked.schedule_key
  ), gone AS (
    DELETE FROM schedules s USING locked WHERE s.schedule_key = locked.schedule_key
  ), gone_count AS (
    DELETE FROM schedule_counts WHERE account_id = $1
  )
  SELECT (SELECT count(*) FROM locked)::int AS removed, (SELECT count(*) FROM found)::int AS found`;

/** Removes some schedules of a removed account. */
export async function removeSchedulesOf(
  { query }: Connections,
  accountId: string,
  limit: number,
): Promise<{ readonly removed: number; readonly hasLeft: boolean }> {
  const [row] = await query({
    name: "remove-schedules-of-account",
    text: removeStatement,
    values: [accountId, limit],
  });
  const { removed, found } = row as { readonly removed: number; readonly found: number };
  return { removed, hasLeft: removed < found || found === limit };
}
