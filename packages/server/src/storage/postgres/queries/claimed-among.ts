import type { Row, Run } from "../connections/connections.ts";

/**
 * Which of these messages are claimed. They are locked: a separate statement sees a claim that was committed
 * before that.
 */
export async function claimedAmong(run: Run, rows: readonly Row[]): Promise<ReadonlySet<unknown>> {
  if (rows.length === 0) return new Set();
  const claims = await run({
    name: "find-claims",
    text: `SELECT c.message_id FROM claims c
      JOIN unnest($1::int[], $2::uuid[]) AS u(target_key, message_id)
        ON c.target_key = u.target_key AND c.message_id = u.message_id`,
    values: [rows.map((row) => row["target_key"]), rows.map((row) => row["message_id"])],
  });
  return new Set(claims.map((row) => row["message_id"]));
}
