import type { Run } from "../../../../../src/domain/schedules/run.ts";
import type { Schedule } from "../../../../../src/domain/schedules/schedule.ts";
import type { RunView, ScheduleView } from "../../../../../src/storage/store.ts";
import type { DatabaseState } from "../../database-state.ts";
import { hasExpired } from "../../message-table.ts";

/** Runs and schedules as callers see them: with the states of the messages. */
export function scheduleViews({ messages, clock }: DatabaseState) {
  function viewRun({ runTime, trigger, outcome, reason, messageId }: Run): RunView {
    const stored = messageId === null ? undefined : messages.get(messageId);
    const isKept = stored !== undefined && !hasExpired(stored, clock.now());
    const messageState = isKept ? stored.message.state : null;
    return { runTime, trigger, outcome, reason, messageId, messageState };
  }

  return {
    viewRun,
    viewSchedule: (schedule: Schedule): ScheduleView => ({
      ...schedule,
      lastRun: schedule.lastRun && viewRun(schedule.lastRun),
    }),
  };
}
