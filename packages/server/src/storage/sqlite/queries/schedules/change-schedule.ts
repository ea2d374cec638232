import type { AuditNote } from "../../../../domain/audit.ts";
import type { ScheduleChange } from "../../../../domain/schedules/steps.ts";
import { changed } from "../../../../domain/schedules/steps/changed.ts";
import { UnknownTimeZone } from "../../../../domain/time-zones/unknown-time-zone.ts";
import { StepTally } from "../../../step-tally.ts";
import type { ChangeScheduleResult, ScheduleRef } from "../../../store.ts";
import type { StoredSchedule } from "../../tables/schedule-table.ts";
import type { Context } from "../context.ts";
import { momentOf } from "../insert-message.ts";
import type { Moment } from "../insert-message.ts";
import { scheduleSurroundings } from "./surroundings.ts";
import { steppingIn, takeStep } from "./take-step.ts";
import { scheduleViews } from "./view-schedule.ts";

export function changeSchedule(context: Context) {
  const { targets, schedules, usage, audit, timeZones } = context;
  const surroundings = scheduleSurroundings(context);
  const take = takeStep(context);
  const stepping = steppingIn(context);
  const { viewRun, viewSchedule } = scheduleViews(context);

  /** What prevents a change that the schedule itself allows. */
  function obstacleTo(
    { accountKey }: StoredSchedule,
    change: ScheduleChange,
    { month }: Moment,
  ): ChangeScheduleResult | undefined {
    const isToUnknown =
      change.kind === "define" &&
      targets.keyOf(accountKey, change.definition.targetId) === undefined;
    if (isToUnknown) return { kind: "no-target" };
    const isOverQuota = change.kind === "trigger" && !usage.hasRoom(accountKey, month);
    return isOverQuota ? { kind: "over-quota" } : undefined;
  }

  return (ref: ScheduleRef, change: ScheduleChange, note: AuditNote): ChangeScheduleResult => {
    const stored = schedules.find(ref);
    if (stored === undefined) return { kind: "not-found" };
    const moment = momentOf(context);
    const { overlap } = change.kind === "define" ? change.definition : stored.schedule;
    const around = surroundings.forChange(stored, moment.now, overlap);
    const step = decided(() => changed(stored.schedule, change, around, timeZones));
    if (step === "revised") return { kind: step, schedule: viewSchedule(stored.schedule) };
    if (typeof step === "string") return { kind: step };
    const obstacle = obstacleTo(stored, change, moment);
    if (obstacle !== undefined) return obstacle;
    const tally = new StepTally();
    const taken = take(stepping(stored, change.kind), step, moment, tally);
    audit.write(note);
    const triggered = change.kind === "trigger" ? manualRunOf(taken.runs) : undefined;
    const { planned, nextBound } = tally;
    return {
      kind: "changed",
      schedule: viewSchedule(taken.schedule),
      run: triggered === undefined ? null : viewRun(triggered),
      planned,
      nextBound,
    };
  };
}

/** Another process may have created a schedule in a zone that the data of this one does not have. */
function decided<Decision>(decide: () => Decision): Decision | "older-time-zones" {
  try {
    return decide();
  } catch (error) {
    if (error instanceof UnknownTimeZone) return "older-time-zones";
    throw error;
  }
}

function manualRunOf<Made extends { readonly trigger: string }>(
  runs: readonly Made[],
): Made | undefined {
  return runs.find(({ trigger }) => trigger === "MANUAL");
}
