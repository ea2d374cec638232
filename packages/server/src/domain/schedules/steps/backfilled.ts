import type { Instant } from "../../instant.ts";
import type { TimeZones } from "../../time-zones/time-zones.ts";
import { Effort } from "../occurrences/effort.ts";
import { mostSteps, occurrencesOf } from "../occurrences/occurrences.ts";
import { recurrenceOf } from "../occurrences/recurrence-of.ts";
import type { Schedule } from "../schedule.ts";
import type { Step } from "../steps.ts";
import { runMessage } from "./run-message.ts";

/** Which run times are to be made afterwards, both ends inclusive. */
export interface BackfillSpan {
  readonly from: Instant;
  readonly until: Instant;
}

/** The first run times of a span, in their order. */
export interface BackfillTimes {
  readonly runTimes: readonly Instant[];
  /** Up to where it has looked; null: no run time follows. */
  readonly lookedUntil: Instant | null;
}

/** How many run times one look finds, whether or not they had a run. */
const mostFound = 1_000;

/** A look that has taken so many steps ends with the next run time. */
const enoughSteps = 2_000;

/**
 * A look at run times that are past, in bounded effort. Those that are not decided yet are left out: their runs come
 * by time.
 */
export function timesToBackfill(
  schedule: Schedule,
  { from, until }: BackfillSpan,
  now: Instant,
  zones: TimeZones,
): BackfillTimes {
  const recurrence = recurrenceOf(schedule, zones);
  const effort = new Effort(mostSteps);
  const runTimes: Instant[] = [];
  const first = Math.max(from, firstRunTime(schedule));
  for (const decided of decidedSpans(schedule, now)) {
    const last = Math.min(until, decided.until);
    for (const { time } of occurrencesOf(recurrence, Math.max(first, decided.from), effort)) {
      if (time > last) break;
      runTimes.push(time);
      if (runTimes.length === mostFound || effort.steps >= enoughSteps) {
        return { runTimes, lookedUntil: time };
      }
    }
    // It may have ended for want of effort, and the next look begins with all of it.
    if (effort.isSpent) return { runTimes, lookedUntil: runTimes.at(-1) ?? null };
  }
  return { runTimes, lookedUntil: null };
}

/** An interval without a start counts from the creation, which is no run time itself. */
function firstRunTime({ everyMs, startTime, creationTime }: Schedule): Instant {
  return everyMs === null || startTime !== null ? -Infinity : creationTime + everyMs;
}

/**
 * What passes during a pause is never made by time, so it is decided, too. Dead letters may have paused the schedule
 * while run times had to wait, or were missed: nobody has decided those, and they get their rows when the schedule is
 * resumed.
 */
function decidedSpans({ progress: { cursor }, pause }: Schedule, now: Instant): BackfillSpan[] {
  // The cursor is ahead of now, and further ahead after the clock was set back.
  const byTime = { from: -Infinity, until: Math.min(cursor, now) };
  if (pause === null) return [byTime];
  const from = Math.max(pause.time, cursor) + 1;
  return [byTime, { from, until: Math.min(now, (pause.until ?? Infinity) - 1) }];
}

/** One step of a backfill, and up to where it gets; null: there is nothing behind it. */
export interface BackfillStep {
  readonly step: Step;
  readonly lookedUntil: Instant | null;
}

/**
 * Makes messages for the first `limit` of the run times that have had none. They are asked for now, so they are for
 * now, and `notAfterMs` counts from now. Beside them nothing changes: neither `maxRuns` nor `overlap` counts what is
 * made afterwards.
 */
export function backfilled(
  schedule: Schedule,
  { runTimes, lookedUntil }: BackfillTimes,
  isCreated: (runTime: Instant) => boolean,
  { limit, now }: { readonly limit: number; readonly now: Instant },
): BackfillStep {
  const open = runTimes.filter((time) => !isCreated(time));
  const made = open.slice(0, limit);
  return {
    step: {
      ...{
        schedule,
        cancelledMessageIds: [],
        supersededMessageIds: [],
        undoneRunTimes: [],
        runs: [],
      },
      messages: made.map((time) => runMessage(schedule, time, "BACKFILL", now)),
      replacedMessageId: null,
    },
    lookedUntil: made.length === open.length ? lookedUntil : made.at(-1)!,
  };
}
