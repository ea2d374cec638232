import { moveClaimFences } from "../claims/claim-fence.ts";
import type { SharedConnections } from "../connections/connections.ts";

export interface TargetPiece {
  readonly accountId: string;
  /** The piece begins after the target with this id; null: at the first. */
  readonly after: string | null;
  readonly limit: number;
}

export interface RemovedPiece {
  readonly count: number;
  /** Where the next piece begins; null if there is none. */
  readonly after: string | null;
}

/**
 * Removes some targets of a removed account. Locks them by their ids, in the same order as
 * scheduling, and locks nothing before them. A call that is scheduling to one of them ends first;
 * the next call finds no target.
 */
export function removeTargetsOf(
  connections: SharedConnections,
  { accountId, after, limit }: TargetPiece,
): Promise<RemovedPiece> {
  return connections.transaction(async (run) => {
    const rows = await run({
      name: "lock-targets-of-account",
      text: `SELECT target_key, target_id FROM targets
        WHERE account_id = $1 AND target_id > $2 AND removal_time IS NULL
        ORDER BY target_id LIMIT $3 FOR UPDATE`,
      values: [accountId, after ?? "", limit],
    });
    const targetKeys = rows.map((row) => row["target_key"] as number);
    if (targetKeys.length === 0) return { count: 0, after: null };
    await moveClaimFences(run, targetKeys);
    await run({
      name: "remove-targets",
      text: `UPDATE targets SET removal_time = now_ms(), sealed_settings = '', sealed_secrets = '',
          revision = revision + 1
        WHERE target_key = ANY($1::int[])`,
      values: [targetKeys],
    });
    const last = rows.length < limit ? undefined : rows.at(-1);
    return { count: rows.length, after: (last?.["target_id"] as string | undefined) ?? null };
  }, accountId);
}
