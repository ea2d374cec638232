import { messageStates } from "../../../../domain/message.ts";
import type { MessageState } from "../../../../domain/message.ts";
import type { Run } from "../../../../domain/schedules/run.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import { parseMessageId } from "../../../../platform/message-ids.ts";
import type { RunView, ScheduleView } from "../../../store.ts";
import type { Context } from "../context.ts";

/** Runs and schedules as callers see them: with the states of the messages. */
export function scheduleViews({ db, clock }: Context) {
  const select = db.prepare(
    `SELECT state FROM messages
     WHERE message_key = ? AND (expiration_time IS NULL OR expiration_time > ?)`,
  );

  function stateOf({ messageId }: Run): MessageState | null {
    if (messageId === null) return null;
    const row = select.get(parseMessageId(messageId)!.sequence, clock.now());
    return row === undefined ? null : messageStates[row["state"] as number]!;
  }

  const viewRun = (run: Run): RunView => ({ ...run, messageState: stateOf(run) });

  return {
    viewRun,
    viewSchedule: (schedule: Schedule): ScheduleView => ({
      ...schedule,
      lastRun: schedule.lastRun && viewRun(schedule.lastRun),
    }),
  };
}
