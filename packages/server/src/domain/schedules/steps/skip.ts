import type { Instant } from "../../instant.ts";
import type { TimeZones } from "../../time-zones/time-zones.ts";
import { mostSkips } from "../limits.ts";
import { isOccurrence, nextOccurrence } from "../occurrences/next-occurrence.ts";
import type { Recurrence } from "../occurrences/occurrences.ts";
import { recurrenceOf } from "../occurrences/recurrence-of.ts";
import type { Schedule } from "../schedule.ts";
import type { Step, Surroundings } from "../steps.ts";
import { beforeChange } from "./before-change.ts";
import { draftOf, isByTime, isMadeForRunTime, runsLeft, stepOf, unmadeRun } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { makeRuns } from "./make-runs.ts";
import { asPaused } from "./pause.ts";
import { runMessage, spreadTime } from "./run-message.ts";
import { cancelRuns, undoRows } from "./take-back.ts";
import { firstNotCalledOff } from "./undecided-times.ts";

/** Calls off one run time. Its run may be made already, as long as it is not due. */
export function skipped(
  schedule: Schedule,
  time: Instant,
  surroundings: Surroundings,
  zones: TimeZones,
): Step | "no-open-occurrence" | "too-many-skips" {
  const { now, openRuns, earlier } = surroundings;
  const before = beforeChange(schedule, surroundings, zones);
  const recurrence = recurrenceOf(before, zones);
  const draft = draftOf(before, earlier);
  const { cursor } = before.progress;
  const others = before.skips.filter((each) => each > now || each > cursor);
  if (others.includes(time)) return finish(draft, now, recurrence);
  const open = openRuns.find((run) => run.runTime === time && isByTime(run));
  if (open === undefined && !isToCome(before, recurrence, time, now)) return "no-open-occurrence";
  // A run in its flex window cannot be taken up again: its time is over.
  const isKept = time > now || time > cursor;
  if (isKept && others.length >= mostSkips) return "too-many-skips";
  if (open !== undefined) {
    cancelRuns(draft, [open], surroundings);
    draft.runs.push(unmadeRun(time, "SKIPPED", "REQUESTED", open.trigger));
  }
  const skips = isKept ? [...others, time].toSorted((a, b) => a - b) : others;
  // A schedule that had ended goes on from now: what passed meanwhile was not missed.
  const hasEnded = before.pause === null && before.nextRunTime === null;
  const decidedUntil = hasEnded ? Math.max(cursor, now) : cursor;
  const first = before.nextRunTime ?? nextOccurrence(recurrence, decidedUntil);
  draft.schedule = {
    ...asChanged(draft.schedule, now),
    skips,
    nextRunTime: firstNotCalledOff(recurrence, first, skips),
    progress: { ...draft.schedule.progress, cursor: decidedUntil },
  };
  return finish(draft, now, recurrence);
}

/** Takes a skip back, as long as the run time is to come. */
export function unskipped(
  schedule: Schedule,
  time: Instant,
  surroundings: Surroundings,
  zones: TimeZones,
): Step | "no-open-occurrence" {
  const { now, recordedRuns, earlier } = surroundings;
  const before = beforeChange(schedule, surroundings, zones);
  const { cursor } = before.progress;
  const isOver = time <= now && time <= cursor;
  if (isOver || !before.skips.includes(time)) return "no-open-occurrence";
  const recurrence = recurrenceOf(before, zones);
  const draft = draftOf(asChanged(before, now), earlier);
  draft.schedule = { ...draft.schedule, skips: before.skips.filter((each) => each !== time) };
  if (time > cursor) {
    takeUp(draft, time, cursor);
    return finish(draft, now, recurrence);
  }
  if (runsLeft(draft) <= 0) return "no-open-occurrence";
  const isLast = !recordedRuns.some((run) => run.runTime > time && isMadeForRunTime(run));
  if (isLast) {
    takeUp(draft, time, time - 1);
    undoRows(draft, surroundings);
  } else if (before.pause === null) {
    const dueTime = spreadTime(before, time, () => nextOccurrence(recurrence, time));
    draft.messages.push({ ...runMessage(before, time, "TIME", dueTime), isOutOfTurn: true });
  }
  return finish(draft, now, recurrence);
}

function asChanged(schedule: Schedule, now: Instant): Schedule {
  return { ...schedule, revision: schedule.revision + 1, updateTime: now };
}

function finish(draft: Draft, now: Instant, recurrence: Recurrence): Step {
  if (draft.schedule.pause === null) return makeRuns(draft, now, recurrence);
  draft.schedule = asPaused(draft.schedule, recurrence);
  return stepOf(draft);
}

/** The run time is not decided, and comes next unless an earlier one does. */
function takeUp(draft: Draft, time: Instant, cursor: Instant): void {
  const { schedule } = draft;
  draft.schedule = {
    ...schedule,
    nextRunTime: Math.min(schedule.nextRunTime ?? Infinity, time),
    progress: { ...schedule.progress, cursor },
  };
}

function isToCome(
  { pause, nextRunTime, progress }: Schedule,
  recurrence: Recurrence,
  time: Instant,
  now: Instant,
): boolean {
  if (pause !== null)
    return time > Math.max(now, progress.cursor) && isOccurrence(recurrence, time);
  if (nextRunTime === null || time < nextRunTime) return false;
  return time === nextRunTime || isOccurrence(recurrence, time);
}
