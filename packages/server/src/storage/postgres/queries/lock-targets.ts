import type { Run } from "../connections/connections.ts";

/** Locks the targets with these ids against their removal. Answers with the keys of those that exist. */
export async function lockTargets(
  run: Run,
  accountId: string,
  targetIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (targetIds.length === 0) return new Map();
  const rows = await run({
    name: "lock-targets-against-removal",
    text: `SELECT target_id, target_key FROM targets
      WHERE account_id = $1 AND target_id = ANY($2::text[]) AND removal_time IS NULL
      ORDER BY target_id FOR KEY SHARE`,
    values: [accountId, [...new Set(targetIds)]],
  });
  return new Map(rows.map((row) => [row["target_id"] as string, row["target_key"] as number]));
}
