import { mostLookedAtByStep } from "../../../../domain/job.ts";
import type { Job } from "../../../../domain/job.ts";
import type { Run } from "../../connections/connections.ts";
import { stageNumber } from "../../rows/job-rows.ts";
import type { Candidate } from "./take-turns.ts";

export interface SecondTurnPlan {
  readonly limit: number;
  /** Whatever is still in flight is skipped. */
  readonly isLast: boolean;
}

/** Messages that are still in flight must not keep others waiting, so they come along only at the last. */
const findStatement = `
  SELECT w.message_id, m.target_key, t.target_id
  FROM (
    SELECT message_id FROM job_messages
    WHERE account_id = $1 AND job_id = $2 AND stage = ${stageNumber("waiting")} AND stage <> 0
    ORDER BY message_id LIMIT $3) AS w
  LEFT JOIN messages m ON m.message_id = w.message_id
  LEFT JOIN targets t ON t.target_key = m.target_key
  LEFT JOIN LATERAL (
    SELECT true AS is_claimed FROM claims c
    WHERE c.target_key = m.target_key AND c.message_id = m.message_id LIMIT 1) AS c ON true
  WHERE $5::boolean OR c.is_claimed IS NULL
  LIMIT $4`;

/** The messages that were in flight at their first turn. Those that are gone by now have no target. */
export async function findSecondTurns(
  run: Run,
  { accountId, jobId }: Job,
  { limit, isLast }: SecondTurnPlan,
): Promise<Candidate[]> {
  const rows = await run({
    name: "find-second-turns",
    text: findStatement,
    values: [accountId, jobId, mostLookedAtByStep, limit, isLast],
  });
  return rows.map((row) => ({
    ...{ key: row["message_id"], targetKey: row["target_key"], targetId: row["target_id"] },
  }));
}
