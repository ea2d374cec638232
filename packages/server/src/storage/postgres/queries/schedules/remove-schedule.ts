import type { AuditNote } from "../../../../domain/audit.ts";
import { scheduleEvent } from "../../../../domain/events/other-events.ts";
import { takenBack } from "../../../../domain/schedules/steps/taken-back.ts";
import { cancelled } from "../../../../domain/transitions.ts";
import type { ScheduleRef, ScheduleView } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { writeMessages } from "../../rows/write-messages.ts";
import { writeNotes } from "../audit-entries.ts";
import type { Context } from "../context.ts";
import { tellFacts } from "../../events/tell-facts.ts";
import { countSchedules } from "./count-schedules.ts";
import { lockOpenRuns } from "./lock-open-runs.ts";
import { lockSchedule } from "./lock-schedule.ts";
import { viewSchedules } from "./view-schedules.ts";

/**
 * The rest of its runs expires. Nobody finds them, because no other schedule gets their key. Each of those has a message,
 * which counted: whoever creates and removes schedules must not fill the disk with what did not happen.
 */
const runsRemovedAtOnce = 500;

const removeStatement = `
  WITH gone_unmade AS (
    DELETE FROM schedule_runs WHERE schedule_key = $1 AND message_id IS NULL
  ), gone_runs AS (
    DELETE FROM schedule_runs r USING (
      SELECT run_time FROM schedule_runs WHERE schedule_key = $1 AND message_id IS NOT NULL
      LIMIT $2) AS part
    WHERE r.schedule_key = $1 AND r.run_time = part.run_time
  ), gone_state AS (
    DELETE FROM schedule_states WHERE schedule_key = $1
  )
  DELETE FROM schedules WHERE schedule_key = $1`;

export function removeSchedule({ connections, retentionMs }: Context) {
  return (ref: ScheduleRef, note: AuditNote): Promise<ScheduleView | undefined> =>
    connections.transaction(async (run) => {
      const stored = await lockSchedule(run, ref);
      if (stored === undefined) return undefined;
      const { key, schedule, now } = stored;
      const openRuns = await lockOpenRuns(run, stored);
      const undone = new Set(takenBack({ openRuns }));
      const ends = openRuns
        .filter(({ messageId }) => undone.has(messageId))
        .map(({ locked: { message, ...locked } }) => {
          return { ...locked, now, before: message, after: cancelled(message, now, retentionMs)! };
        });
      await writeMessages(run, ends);
      const [view] = await viewSchedules(run, [schedule]);
      await remove(run, key);
      await tellFacts(run, [
        { accountId: ref.accountId, facts: scheduleEvent("schedule.removed", schedule, now) },
      ]);
      await writeNotes(run, [note]);
      await countSchedules(run, ref.accountId, -1);
      return view;
    }, ref.accountId);
}

async function remove(run: Run, key: number): Promise<void> {
  const values = [key, runsRemovedAtOnce];
  await run({ name: "remove-schedule", text: removeStatement, values });
}
