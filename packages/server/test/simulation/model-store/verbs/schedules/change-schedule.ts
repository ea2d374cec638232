import type { AuditNote } from "../../../../../src/domain/audit.ts";
import type { ScheduleChange } from "../../../../../src/domain/schedules/steps.ts";
import { WatchedTimeZones } from "../../../../../src/domain/time-zones/watched-time-zones.ts";
import { monthOf } from "../../../../../src/domain/usage.ts";
import { StepTally } from "../../../../../src/storage/step-tally.ts";
import type { ChangeScheduleResult, ScheduleRef } from "../../../../../src/storage/store.ts";
import { liveAccount } from "../../database-state.ts";
import type { Context } from "../../database-state.ts";
import { mayDecide } from "./may-advance.ts";
import { scheduleSurroundings } from "./surroundings.ts";
import { takeStep } from "./take-step.ts";
import { scheduleViews } from "./view-schedule.ts";

export function changeSchedule(context: Context) {
  const { state, node } = context;
  const { clock, rules, targets, schedules, scheduleJournal, usage, auditLog } = state;
  const surroundings = scheduleSurroundings(state);
  const take = takeStep(context);
  const { viewRun, viewSchedule } = scheduleViews(state);

  /** What prevents a change that the schedule itself allows. */
  function obstacleTo(
    { accountId }: ScheduleRef,
    change: ScheduleChange,
  ): ChangeScheduleResult | undefined {
    if (change.kind === "define") {
      const { targetId } = change.definition;
      if (targets.live({ accountId, targetId }) === undefined) return { kind: "no-target" };
    }
    if (change.kind !== "trigger") return undefined;
    const { monthlyMessageLimit } = liveAccount(state, accountId)!;
    const used = usage.of(accountId, monthOf(clock.now()));
    return used >= (monthlyMessageLimit ?? Infinity) ? { kind: "over-quota" } : undefined;
  }

  return (ref: ScheduleRef, change: ScheduleChange, note: AuditNote): ChangeScheduleResult => {
    const kept = schedules.find(ref);
    if (kept === undefined) return { kind: "not-found" };
    const now = clock.now();
    const around = surroundings.forChange(kept, now);
    const zones = new WatchedTimeZones(node.timeZones);
    const step = rules.changed(kept.schedule, change, around, zones);
    if (!mayDecide(context, zones)) return { kind: "older-time-zones" };
    if (step === "revised") return { kind: step, schedule: viewSchedule(kept.schedule) };
    if (typeof step === "string") return { kind: step };
    const obstacle = obstacleTo(ref, change);
    if (obstacle !== undefined) return obstacle;
    auditLog.write(now, note);
    scheduleJournal.push({ kind: "changed", scheduleKey: kept.scheduleKey, at: now, change });
    const tally = new StepTally();
    const taken = take(kept, step, now, tally, change.kind);
    const run =
      change.kind === "trigger"
        ? taken.runs.find(({ trigger }) => trigger === "MANUAL")
        : undefined;
    const { planned, nextBound } = tally;
    return {
      kind: "changed",
      schedule: viewSchedule(taken.schedule),
      run: run === undefined ? null : viewRun(run),
      planned,
      nextBound,
    };
  };
}
