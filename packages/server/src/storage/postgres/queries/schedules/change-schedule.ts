import type { AuditNote } from "../../../../domain/audit.ts";
import { codes } from "../../../../domain/refusals.ts";
import type { ScheduleChange } from "../../../../domain/schedules/steps.ts";
import { changed } from "../../../../domain/schedules/steps/changed.ts";
import type { TimeZones } from "../../../../domain/time-zones/time-zones.ts";
import { UnknownTimeZone } from "../../../../domain/time-zones/unknown-time-zone.ts";
import { WatchedTimeZones } from "../../../../domain/time-zones/watched-time-zones.ts";
import type { ChangeScheduleResult, ScheduleRef } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { writeNotes } from "../audit-entries.ts";
import type { Context } from "../context.ts";
import { lockTargets } from "../lock-targets.ts";
import { lockSchedule, lockSurroundings } from "./lock-schedule.ts";
import { makeForOne } from "./make-run-messages.ts";
import { ensureNewest, notNewest } from "./may-advance.ts";
import { takeSteps, tallyOf } from "./take-steps.ts";
import { viewRuns, viewSchedules } from "./view-schedules.ts";

/** Undoes a trigger whose message the monthly limit does not allow. */
const overQuota = new Error("the monthly limit is used up");

/**
 * One transaction. It takes its locks in the order of all that concerns schedules: the gate of the account, the
 * schedule, its target against removal, messages, the account and its shares.
 */
export function changeSchedule(context: Context) {
  const { connections } = context;
  return async (
    ref: ScheduleRef,
    change: ScheduleChange,
    note: AuditNote,
  ): Promise<ChangeScheduleResult> => {
    try {
      return await connections.transaction(async (run) => {
        const zones = new WatchedTimeZones(context.timeZones);
        const result = await changeNow(run, zones);
        await ensureNewest(run, zones, context);
        return result;
      }, ref.accountId);
    } catch (error) {
      if (error === overQuota) return { kind: "over-quota" };
      if (error === notNewest || error instanceof UnknownTimeZone) {
        return { kind: "older-time-zones" };
      }
      throw error;
    }

    async function changeNow(run: Run, timeZones: TimeZones): Promise<ChangeScheduleResult> {
      const stored = await lockSchedule(run, ref);
      if (stored === undefined) return { kind: "not-found" };
      const { key, schedule, now } = stored;
      const { targetId, overlap } = change.kind === "define" ? change.definition : schedule;
      const targets = await lockTargets(run, ref.accountId, [targetId]);
      const { surroundings, locked } = await lockSurroundings(run, stored, overlap);
      const step = changed(schedule, change, surroundings, timeZones);
      if (step === "revised") {
        const [view] = await viewSchedules(run, [schedule]);
        return { kind: step, schedule: view! };
      }
      if (typeof step === "string") return { kind: step };
      if (!targets.has(targetId)) return { kind: "no-target" };
      const decided = { key, before: schedule, step, locked, occasion: change.kind };
      const make = makeForOne(context, ref.accountId);
      const [taken] = await takeSteps(run, context, [decided], { now, make });
      const isTrigger = change.kind === "trigger";
      const manual = isTrigger
        ? taken!.runs.find(({ run: { trigger } }) => trigger === "MANUAL")!.run
        : null;
      if (manual?.reason === codes.monthlyLimitReached) throw overQuota;
      await writeNotes(run, [note]);
      const [view] = await viewSchedules(run, [taken!.schedule]);
      const [shown = null] = manual === null ? [] : await viewRuns(run, [manual]);
      const { planned, nextBound } = tallyOf([taken!]);
      return { kind: "changed", schedule: view!, run: shown, planned, nextBound };
    }
  };
}
