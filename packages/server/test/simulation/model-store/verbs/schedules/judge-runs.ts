import type { Instant } from "../../../../../src/domain/message.ts";
import { schedulePausedNote } from "../../../../../src/domain/schedules/schedule-notes.ts";
import type { EndedRun } from "../../../../../src/domain/schedules/steps/judged.ts";
import { newAuditEntryId } from "../../../../../src/platform/audit-ids.ts";
import type { Holder, ScheduleRef } from "../../../../../src/storage/store.ts";
import type { Context } from "../../database-state.ts";
import type { KeptRun, KeptSchedule } from "../../schedule-table.ts";
import { teller } from "../events/tell.ts";
import { isMember } from "../jobs/jobs.ts";

export function judgeRuns(context: Context) {
  const { state } = context;
  const tell = teller(context);
  const { clock, rules, random, messages, schedules, scheduleJournal, auditLog } = state;

  /** Undefined: its message did not end by an attempt, or has not ended. */
  function endOf(run: KeptRun, now: Instant): EndedRun | undefined {
    const message = messages.get(run.messageId!)?.message;
    const isLeft = message?.state === "SCHEDULED";
    run.judgeTime = isLeft ? rules.nextJudgeTime(message.originalDeliveryTime, now) : null;
    if (message?.state !== "DEAD_LETTER" && message?.state !== "DELIVERED") return undefined;
    return { runTime: run.runTime, isDeadLetter: message.state === "DEAD_LETTER" };
  }

  /** Answers whether the schedule is paused by this. */
  function judge(kept: KeptSchedule, runs: readonly KeptRun[], now: Instant): boolean {
    const ended = runs.map((run) => endOf(run, now)).filter((each) => each !== undefined);
    if (ended.length === 0) return false;
    const before = kept.schedule;
    kept.schedule = rules.judged(before, ended, now);
    tell.schedule(before, kept.schedule, []);
    const isPaused = before.pause === null && kept.schedule.pause !== null;
    if (isPaused) {
      scheduleJournal.push({ kind: "paused itself", scheduleKey: kept.scheduleKey, at: now });
      auditLog.write(now, schedulePausedNote(kept.schedule, newAuditEntryId(random)));
    }
    return isPaused;
  }

  return (holder: Holder, limit: number): { looked: number; paused: readonly ScheduleRef[] } => {
    if (!isMember(state, holder)) return { looked: 0, paused: [] };
    const now = clock.now();
    const due = schedules
      .all()
      .flatMap((kept) => [...kept.runs.values()].map((run) => ({ kept, run })))
      .filter(({ run }) => (run.judgeTime ?? Infinity) <= now)
      .toSorted((one, other) => one.run.judgeTime! - other.run.judgeTime!)
      .slice(0, limit);
    const paused: ScheduleRef[] = [];
    for (const [kept, some] of Map.groupBy(due, (each) => each.kept)) {
      const { accountId, scheduleId } = kept.schedule;
      const runs = some.map(({ run }) => run);
      if (judge(kept, runs, now)) paused.push({ accountId, scheduleId });
    }
    return { looked: due.length, paused };
  };
}
