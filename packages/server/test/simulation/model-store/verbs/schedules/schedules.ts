import type { AuditNote } from "../../../../../src/domain/audit.ts";
import { mostSchedules } from "../../../../../src/domain/schedules/limits.ts";
import { createdSchedule } from "../../../../../src/domain/schedules/steps/created-schedule.ts";
import { takenBack } from "../../../../../src/domain/schedules/steps/taken-back.ts";
import { WatchedTimeZones } from "../../../../../src/domain/time-zones/watched-time-zones.ts";
import { cancelled } from "../../../../../src/domain/transitions.ts";
import { StepTally } from "../../../../../src/storage/step-tally.ts";
import type {
  ListedSchedule,
  CreateScheduleResult,
  ListRunsRequest,
  ListSchedulesRequest,
  NewSchedule,
  RunView,
  ScheduleRef,
  ScheduleView,
} from "../../../../../src/storage/store.ts";
import { liveAccount } from "../../database-state.ts";
import type { Context } from "../../database-state.ts";
import { runsOf } from "../../schedule-table.ts";
import { teller } from "../events/tell.ts";
import { mayDecide } from "./may-advance.ts";
import { scheduleSurroundings } from "./surroundings.ts";
import { takeStep } from "./take-step.ts";
import { scheduleViews } from "./view-schedule.ts";

export function scheduleVerbs(context: Context) {
  const { state, node } = context;
  const { clock, rules, messages, targets, schedules, scheduleJournal, auditLog } = state;
  const surroundings = scheduleSurroundings(state);
  const take = takeStep(context);
  const tell = teller(context);
  const { viewRun, viewSchedule } = scheduleViews(state);

  return {
    createSchedule(order: NewSchedule, note: AuditNote): CreateScheduleResult {
      const { accountId, definition } = order;
      const { targetId } = definition;
      if (liveAccount(state, accountId) === undefined) return { kind: "no-target" };
      if (schedules.find(order) !== undefined) return { kind: "exists" };
      if (targets.live({ accountId, targetId }) === undefined) return { kind: "no-target" };
      if (schedules.ofAccount(accountId).length >= mostSchedules) return { kind: "too-many" };
      const now = clock.now();
      const zones = new WatchedTimeZones(node.timeZones);
      const begun = createdSchedule(order, definition, now, zones);
      if (!mayDecide(context, zones)) return { kind: "older-time-zones" };
      if (begun === undefined) return { kind: "no-occurrence" };
      auditLog.write(now, note);
      const kept = schedules.add(begun);
      const { scheduleKey } = kept;
      scheduleJournal.push({ kind: "created", scheduleKey, at: now, ...order });
      const around = surroundings.forAdvance(kept, now);
      const tally = new StepTally();
      const { schedule } = take(
        kept,
        rules.advanced(begun, around, node.timeZones),
        now,
        tally,
        "create",
      );
      const { planned, nextBound } = tally;
      return { kind: "created", schedule: viewSchedule(schedule), planned, nextBound };
    },

    removeSchedule(ref: ScheduleRef, note: AuditNote): ScheduleView | undefined {
      const kept = schedules.find(ref);
      if (kept === undefined) return undefined;
      const now = clock.now();
      auditLog.write(now, note);
      for (const messageId of takenBack(surroundings.forChange(kept, now))) {
        const stored = messages.get(messageId)!;
        const before = stored.message;
        messages.update(stored, cancelled(before, now, node.retentionMs)!);
        tell.changed(stored, before);
      }
      schedules.remove(kept);
      tell.scheduleRemoved(kept.schedule);
      scheduleJournal.push({ kind: "removed", scheduleKey: kept.scheduleKey, at: now });
      return viewSchedule(kept.schedule);
    },

    getSchedule(ref: ScheduleRef): ScheduleView | undefined {
      const kept = schedules.find(ref);
      return kept && viewSchedule(kept.schedule);
    },

    listSchedules: ({
      accountId,
      targetId,
      paused,
      after,
      limit,
    }: ListSchedulesRequest): ListedSchedule[] =>
      schedules
        .ofAccount(accountId)
        .map(({ schedule }) => schedule)
        .filter((schedule) => targetId === null || schedule.targetId === targetId)
        .filter(({ pause }) => paused === null || (pause !== null) === paused)
        .filter(({ scheduleId }) => scheduleId > (after ?? ""))
        .toSorted((one, other) => (one.scheduleId < other.scheduleId ? -1 : 1))
        .slice(0, limit)
        .map(viewSchedule)
        .map((schedule) => {
          const { payload: _, ...listed } = schedule;
          return listed;
        }),

    listRuns({ before, limit, ...ref }: ListRunsRequest): RunView[] | undefined {
      const kept = schedules.find(ref);
      return (
        kept &&
        runsOf(kept, clock.now())
          .filter(({ runTime }) => runTime < (before ?? Infinity))
          .toReversed()
          .slice(0, limit)
          .map(viewRun)
      );
    },
  };
}
