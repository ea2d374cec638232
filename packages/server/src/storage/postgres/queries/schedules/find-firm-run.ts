import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { FirmRun, OpenRun } from "../../../../domain/schedules/steps.ts";
import type { Run } from "../../connections/connections.ts";
import { messageIdOf, rowKeyOf } from "../../rows/message-rows.ts";
import { triggersByTimeText } from "../../rows/moved-runs.ts";
import { outcomeNumber } from "../../rows/schedule-rows.ts";

/** More than there are without a message. Backfills leave more with one, and a look must not read them all. */
const mostRowsLookedAt = 2_000;

/** The latest run by time that is not open, if the latest of all is. */
export async function findFirmRun(
  run: Run,
  key: number,
  { progress: { earlierMessageId } }: Schedule,
  openRuns: readonly OpenRun[],
): Promise<Omit<FirmRun, "state"> | undefined> {
  if (!openRuns.some(({ messageId }) => messageId === earlierMessageId)) return undefined;
  const [row] = await run({
    name: "find-firm-run",
    text: `SELECT run_time, message_id FROM (
        SELECT run_time, message_id, outcome, trigger FROM schedule_runs WHERE schedule_key = $1
        ORDER BY schedule_key DESC, run_time DESC LIMIT ${mostRowsLookedAt}) AS r
      WHERE outcome = ${outcomeNumber("CREATED")} AND trigger IN (${triggersByTimeText})
        AND message_id <> ALL ($2::uuid[])
      ORDER BY run_time DESC LIMIT 1`,
    values: [key, openRuns.map(({ messageId }) => rowKeyOf(messageId))],
  });
  return row && { runTime: row["run_time"], messageId: messageIdOf(row["message_id"]) };
}
