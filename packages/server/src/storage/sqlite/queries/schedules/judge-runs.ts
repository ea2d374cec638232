import { messageStates } from "../../../../domain/message.ts";
import type { Instant } from "../../../../domain/message.ts";
import { nextJudgeTime } from "../../../../domain/schedules/judge-time.ts";
import { judged } from "../../../../domain/schedules/steps/judged.ts";
import type { EndedRun } from "../../../../domain/schedules/steps/judged.ts";
import { schedulePausedNote } from "../../../../domain/schedules/schedule-notes.ts";
import { sequenceOf } from "../../../../platform/message-ids.ts";
import { newAuditEntryId } from "../../../../platform/audit-ids.ts";
import type { Holder, ScheduleRef } from "../../../store.ts";
import type { Context } from "../context.ts";
import { scheduleTeller } from "./tell-schedule.ts";

interface UnjudgedRun {
  readonly scheduleKey: number;
  readonly runTime: Instant;
  readonly messageKey: number;
}

export function judgeRuns(context: Context) {
  const { db, clock, random, jobBook, schedules, runs, audit, retentionMs } = context;
  const tell = scheduleTeller(context);
  const selectDue = db.prepare(
    `SELECT schedule_key, run_time, message_id FROM schedule_runs WHERE judge_time <= ?
     ORDER BY judge_time LIMIT ?`,
  );
  selectDue.setReturnArrays(true);
  // Without its options, which may be long.
  const selectMessage = db.prepare(
    "SELECT state, original_delivery_time FROM messages WHERE message_key = ?",
  );

  /** Undefined: its message did not end by an attempt, or has not ended. */
  function endOf(
    { scheduleKey, runTime, messageKey }: UnjudgedRun,
    now: Instant,
  ): EndedRun | undefined {
    const message = selectMessage.get(messageKey);
    const state = message && messageStates[message["state"] as number]!;
    if (state === "SCHEDULED") {
      const time = nextJudgeTime(message!["original_delivery_time"] as number, now);
      runs.setJudgeTime(scheduleKey, runTime, time, time + retentionMs);
      return undefined;
    }
    runs.setJudgeTime(scheduleKey, runTime, null, 0);
    if (state !== "DEAD_LETTER" && state !== "DELIVERED") return undefined;
    return { runTime, isDeadLetter: state === "DEAD_LETTER" };
  }

  /** Answers with the schedule if it is paused now. */
  function judge(
    scheduleKey: number,
    unjudged: readonly UnjudgedRun[],
    now: Instant,
  ): ScheduleRef | undefined {
    const ended = unjudged.map((run) => endOf(run, now)).filter((each) => each !== undefined);
    // Also without its schedule, which may have been removed, a row is not looked at again.
    const stored = ended.length === 0 ? undefined : schedules.byKey(scheduleKey);
    if (stored === undefined) return undefined;
    const after = judged(stored.schedule, ended, now);
    schedules.update(stored, after);
    tell.ofStep({ ...stored, before: stored.schedule }, { schedule: after, runs: [] }, now);
    if (after.pause === null || stored.schedule.pause !== null) return undefined;
    audit.write(schedulePausedNote(after, newAuditEntryId(random)));
    const { accountId, scheduleId } = after;
    return { accountId, scheduleId };
  }

  return (holder: Holder, limit: number): { looked: number; paused: readonly ScheduleRef[] } => {
    if (!jobBook.isMember(holder)) return { looked: 0, paused: [] };
    const now = clock.now();
    const due = selectDue.all(now, limit).map(readRun);
    const bySchedule = Map.groupBy(due, ({ scheduleKey }) => scheduleKey);
    const paused = [...bySchedule].map(([scheduleKey, some]) => judge(scheduleKey, some, now));
    return { looked: due.length, paused: paused.filter((ref) => ref !== undefined) };
  };
}

function readRun(row: unknown): UnjudgedRun {
  const [scheduleKey, runTime, messageId] = row as [number, number, Uint8Array];
  return { scheduleKey, runTime, messageKey: sequenceOf(messageId) };
}
