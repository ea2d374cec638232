import { advanced } from "../../../../domain/schedules/steps/advanced.ts";
import { StepTally } from "../../../step-tally.ts";
import type { AdvancedSchedules, Holder } from "../../../store.ts";
import type { StoredSchedule } from "../../tables/schedule-table.ts";
import type { Context } from "../context.ts";
import { momentOf } from "../insert-message.ts";
import type { Moment } from "../insert-message.ts";
import { beginSlice } from "../time-slice.ts";
import { dueSchedules } from "./due-schedules.ts";
import { releaseSchedules } from "./release-schedules.ts";
import { scheduleSurroundings } from "./surroundings.ts";
import { steppingIn, takeStep } from "./take-step.ts";

/**
 * Twice as long as other looks: the disk takes some milliseconds for each commit, and very many schedules may be due at
 * the same second.
 */
const longestMs = 10;

/**
 * Each schedule has its step whole. The store does nothing else meanwhile, so a call ends after a few milliseconds,
 * whatever is left to do.
 */
export function advanceSchedules(context: Context) {
  const { db, jobBook, schedules, timeZones } = context;
  const due = dueSchedules(db);
  const release = releaseSchedules(db);
  const surroundings = scheduleSurroundings(context);
  const take = takeStep(context);
  const stepping = steppingIn(context);

  function advance(stored: StoredSchedule, moment: Moment, tally: StepTally): void {
    const around = surroundings.forAdvance(stored, moment.now);
    take(stepping(stored), advanced(stored.schedule, around, timeZones), moment, tally);
  }

  return (holder: Holder, limit: number): AdvancedSchedules => {
    const moment = momentOf(context);
    const { now } = moment;
    const isMember = jobBook.isMember(holder);
    const isSuspended = suspensionsNow(context);
    const areMoreHeld = isMember && release(now);
    const isOver = beginSlice(context, longestMs);
    const tally = new StepTally();
    let advancedCount = 0;
    for (const stored of due.inFairOrder(now, isMember ? limit : 0)) {
      if (isSuspended(stored.accountKey)) schedules.hold(stored.scheduleKey);
      else {
        advance(stored, moment, tally);
        advancedCount++;
      }
      if (isOver()) break;
    }
    return {
      advanced: advancedCount,
      runs: tally.runs,
      planned: tally.planned,
      nextBound: tally.nextBound,
      nextLookTime: areMoreHeld ? now : isMember ? due.nextLookTime() : null,
      now,
    };
  };
}

/** Asks once for each account. */
function suspensionsNow({ accounts }: Context): (accountKey: number) => boolean {
  const known = new Map<number, boolean>();
  return (accountKey) => {
    const asked = known.get(accountKey) ?? accounts.isSuspended(accountKey);
    known.set(accountKey, asked);
    return asked;
  };
}
