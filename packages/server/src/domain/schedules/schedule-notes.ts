import type { AuditNote } from "../audit.ts";
import type { Schedule } from "./schedule.ts";

/** The audit entry about a schedule that the service pauses because its runs became dead letters. */
export function schedulePausedNote(schedule: Schedule, entryId: string): AuditNote {
  const { accountId, scheduleId, pause, pauseAfterDeadLetters } = schedule;
  return {
    entryId,
    actor: { kind: "service", id: "postdate" },
    requestId: null,
    action: "schedule.paused",
    accountId,
    subjectId: scheduleId,
    detail: { reason: pause?.reason ?? null, deadLetters: pauseAfterDeadLetters },
  };
}
