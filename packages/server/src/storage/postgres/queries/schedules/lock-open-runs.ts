import type { Instant } from "../../../../domain/instant.ts";
import { runTriggers } from "../../../../domain/schedules/run.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { OpenRun } from "../../../../domain/schedules/steps.ts";
import { openRunsSince } from "../../../../domain/schedules/steps/taken-back.ts";
import type { Run } from "../../connections/connections.ts";
import { changeColumns, readMessage, stateNumber } from "../../rows/message-rows.ts";
import { triggersByTimeText } from "../../rows/moved-runs.ts";
import { outcomeNumber } from "../../rows/schedule-rows.ts";
import { claimedAmong } from "../claimed-among.ts";
import type { LockedMessage } from "./see-earlier.ts";

export interface LockedRun extends OpenRun {
  readonly locked: LockedMessage;
}

/**
 * Of the latest, and of those that were moved. Runs are made some seconds ahead, and the message of one is due before
 * the next run: of those that were not moved, few of the latest are open.
 */
const mostLookedAt = 1_000;

/**
 * The subtraction keeps the index of scheduled messages out of the plan. Messages that are due are not locked: whoever
 * records attempts locks many of them, in any order.
 */
const lockStatement = `
  SELECT r.run_time, r.trigger, ${changeColumns()}
  FROM (
    (SELECT run_time, trigger, message_id FROM schedule_runs
      WHERE schedule_key = $1 AND run_time > $2 AND outcome = ${outcomeNumber("CREATED")}
        AND trigger IN (${triggersByTimeText})
      ORDER BY schedule_key DESC, run_time DESC LIMIT ${mostLookedAt})
    UNION
    (SELECT run_time, trigger, message_id FROM moved_runs
      WHERE schedule_key = $1 AND due_time > $3
      ORDER BY schedule_key DESC, due_time DESC LIMIT ${mostLookedAt})) AS r
  JOIN messages m ON m.message_id = r.message_id
    AND m.state = ${stateNumber("SCHEDULED")} AND m.attempt_count = 0 AND m.next_delivery_time - $3 > 0
  JOIN targets t ON t.target_key = m.target_key
  FOR UPDATE OF m`;

/**
 * The runs whose messages can still be taken back, with their messages locked. As a cancel does, it waits for whoever
 * changes one of them, and then sees whether the message was claimed.
 */
export async function lockOpenRuns(
  run: Run,
  { key, schedule, now }: { readonly key: number; readonly schedule: Schedule; now: Instant },
): Promise<LockedRun[]> {
  const rows = await run({
    name: "lock-open-runs",
    text: lockStatement,
    values: [key, openRunsSince(schedule, now), now],
  });
  const claimed = await claimedAmong(run, rows);
  const open = rows.filter((row) => !claimed.has(row["message_id"]));
  return open
    .map((row) => {
      const message = readMessage(row);
      return {
        runTime: row["run_time"] as Instant,
        trigger: runTriggers[row["trigger"] as number]!,
        messageId: message.messageId,
        dueTime: message.nextDeliveryTime!,
        locked: { targetKey: row["target_key"], eventMask: row["event_mask"], message },
      };
    })
    .toSorted((a, b) => a.runTime - b.runTime);
}
