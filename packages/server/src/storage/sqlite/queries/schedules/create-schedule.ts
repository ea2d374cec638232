import type { AuditNote } from "../../../../domain/audit.ts";
import { mostSchedules } from "../../../../domain/schedules/limits.ts";
import { advanced } from "../../../../domain/schedules/steps/advanced.ts";
import { createdSchedule } from "../../../../domain/schedules/steps/created-schedule.ts";
import { StepTally } from "../../../step-tally.ts";
import type { CreateScheduleResult, NewSchedule } from "../../../store.ts";
import type { Context } from "../context.ts";
import { momentOf } from "../insert-message.ts";
import { takeStep } from "./take-step.ts";
import { scheduleViews } from "./view-schedule.ts";

export function createSchedule(context: Context) {
  const { accounts, targets, schedules, audit, timeZones } = context;
  const take = takeStep(context);
  const { viewSchedule } = scheduleViews(context);
  return (order: NewSchedule, note: AuditNote): CreateScheduleResult => {
    const accountKey = accounts.keyOf(order.accountId);
    if (accountKey === undefined) return { kind: "no-target" };
    if (schedules.find(order) !== undefined) return { kind: "exists" };
    if (targets.keyOf(accountKey, order.definition.targetId) === undefined) {
      return { kind: "no-target" };
    }
    if (schedules.countOf(accountKey) >= mostSchedules) return { kind: "too-many" };
    const moment = momentOf(context);
    const begun = createdSchedule(order, order.definition, moment.now, timeZones);
    if (begun === undefined) return { kind: "no-occurrence" };
    const nothing = { now: moment.now, openRuns: [], recordedRuns: [] };
    const step = advanced(begun, { ...nothing, earlier: "ended" }, timeZones);
    const tally = new StepTally();
    const keep = (schedule: typeof begun): number => schedules.insert(accountKey, schedule);
    const { schedule } = take({ accountKey, before: null, keep }, step, moment, tally);
    audit.write(note);
    const { planned, nextBound } = tally;
    return { kind: "created", schedule: viewSchedule(schedule), planned, nextBound };
  };
}
