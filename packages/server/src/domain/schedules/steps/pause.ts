import type { TimeZones } from "../../time-zones/time-zones.ts";
import { nextOccurrence } from "../occurrences/next-occurrence.ts";
import type { Recurrence } from "../occurrences/occurrences.ts";
import { recurrenceOf } from "../occurrences/recurrence-of.ts";
import type { Schedule } from "../schedule.ts";
import type { ScheduleChange, Step, Surroundings } from "../steps.ts";
import { beforeChange } from "./before-change.ts";
import { draftOf, isByTime, stepOf } from "./draft.ts";
import { countedAnew } from "./judged.ts";
import { makeRuns } from "./make-runs.ts";
import { cancelRuns, pendingTimes, recordSkipped, startOver, undoRows } from "./take-back.ts";
import { firstNotCalledOff } from "./undecided-times.ts";

/** A paused schedule, whose cursor is set, with what it shows and when it is to be looked at. */
export function asPaused(schedule: Schedule, recurrence: Recurrence): Schedule {
  const { pause, skips, maxRuns, progress } = schedule;
  const until = pause?.until ?? null;
  const isOver = progress.madeRuns >= (maxRuns ?? Infinity);
  const first =
    until === null || isOver
      ? null
      : nextOccurrence(recurrence, Math.max(until - 1, progress.cursor));
  return {
    ...schedule,
    nextRunTime: firstNotCalledOff(recurrence, first, skips),
    progress: { ...progress, lookTime: until, isQueueing: false },
  };
}

export function paused(
  schedule: Schedule,
  { note, until }: Extract<ScheduleChange, { kind: "pause" }>,
  surroundings: Surroundings,
  zones: TimeZones,
): Step {
  const { now, openRuns, earlier } = surroundings;
  const before = beforeChange(schedule, surroundings, zones);
  const recurrence = recurrenceOf(before, zones);
  const draft = draftOf(before, earlier);
  const undone = openRuns.filter(isByTime);
  cancelRuns(draft, undone, surroundings);
  recordSkipped(draft, pendingTimes(before, recurrence, now), "PAUSED");
  recordSkipped(
    draft,
    undone.map(({ runTime }) => runTime).filter((time) => time <= now),
    "PAUSED",
  );
  const cursor = startOver(surroundings, undone);
  const time = Math.min(before.pause?.time ?? now, now);
  draft.schedule = asPaused(
    {
      ...draft.schedule,
      revision: before.revision + 1,
      updateTime: now,
      pause: { time, note, until, reason: "REQUESTED" },
      skips: before.skips.filter((each) => each > now),
      progress: { ...draft.schedule.progress, cursor },
    },
    recurrence,
  );
  undoRows(draft, surroundings, undone);
  return stepOf(draft);
}

/** What came while the schedule was paused is not made. Undefined: it is not paused. */
export function resumed(
  schedule: Schedule,
  surroundings: Surroundings,
  zones: TimeZones,
): Step | undefined {
  const { now, earlier } = surroundings;
  const before = beforeChange(schedule, surroundings, zones);
  if (before.pause === null) return undefined;
  const recurrence = recurrenceOf(before, zones);
  const draft = draftOf(before, earlier);
  recordSkipped(draft, pendingTimes(before, recurrence, now), "PAUSED");
  const cursor = startOver(surroundings);
  const first = nextOccurrence(recurrence, cursor);
  draft.schedule = {
    ...before,
    revision: before.revision + 1,
    updateTime: now,
    pause: null,
    nextRunTime: firstNotCalledOff(recurrence, first, before.skips),
    progress: { ...countedAnew(before.progress), cursor, isQueueing: false },
  };
  undoRows(draft, surroundings);
  return makeRuns(draft, now, recurrence);
}
