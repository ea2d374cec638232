import type { Job } from "../../../../domain/job.ts";
import type { JobTally } from "../../../job-tally.ts";
import type { Run } from "../../connections/connections.ts";
import type { MetMessage } from "../../rows/job-rows.ts";
import { stageNumber } from "../../rows/job-rows.ts";
import { stateNumber } from "../../rows/message-rows.ts";

/** Of the watched messages, those that are not as they were when they were redriven. */
const findStatement = `
  SELECT w.message_id, m.state, m.last_delivery_time,
    m.attempt_count > w.attempt_count AS is_attempted
  FROM job_messages w
  LEFT JOIN messages m ON m.message_id = w.message_id
  WHERE w.account_id = $1 AND w.job_id = $2
    AND w.stage = ${stageNumber("watched")} AND w.stage <> 0
    AND (m.message_id IS NULL OR m.attempt_count > w.attempt_count
      OR m.state <> ${stateNumber("SCHEDULED")})`;

/**
 * Counts the redriven messages whose next attempt has ended. Those that ended without one, or are gone, have no
 * outcome. None of them is watched any more.
 */
export async function findOutcomes(
  run: Run,
  { accountId, jobId }: Job,
  tally: JobTally,
): Promise<MetMessage[]> {
  const rows = await run({
    name: "find-outcomes",
    text: findStatement,
    values: [accountId, jobId],
  });
  const attempted = rows
    .filter((row) => row["is_attempted"] === true)
    .toSorted((a, b) => a["last_delivery_time"] - b["last_delivery_time"]);
  tally.delivered = attempted.map((row) => row["state"] === stateNumber("DELIVERED"));
  tally.lookedForOutcomes = true;
  tally.watched -= rows.length;
  return rows.map((row) => ({ key: row["message_id"], stage: "handled" }));
}
