import type { Run } from "../../../../src/domain/schedules/run.ts";
import type { Incarnation } from "./incarnation.ts";
import { madeAheadMs, mostQueuedRuns, onTimeMs } from "./schedule-history.ts";
import type { RunsMessage, ScheduleHistory } from "./schedule-history.ts";

export interface WrittenRow {
  readonly run: Run;
  /** All rows of the same commit. */
  readonly beside: readonly Run[];
  readonly at: number;
}

type MessagesById = ReadonlyMap<string, RunsMessage>;

export const isByTime = ({ trigger }: Run): boolean => trigger === "TIME" || trigger === "CATCH_UP";

/** What is wrong with a row at the moment at which it is written; undefined: nothing. */
export function judgeRow(
  history: ScheduleHistory,
  schedule: Incarnation,
  row: WrittenRow,
  messages: MessagesById,
): string | undefined {
  const { run, at } = row;
  const { runTime } = run;
  if (run.trigger === "BACKFILL") return judgeBackfilled(history, schedule, row);
  if (!isByTime(run)) {
    const isAsked = schedule.lastChange?.change.kind === "trigger" && schedule.lastChange.at === at;
    return isAsked ? undefined : "nobody has asked for";
  }
  const { definition, earlierDefinition } = schedule;
  const isEdit = schedule.lastChange?.change.kind === "define" && schedule.lastChange.at === at;
  const isNamed =
    schedule.isRunTime(definition.payload, runTime) ||
    (isEdit && schedule.isRunTime(earlierDefinition.payload, runTime));
  // Made under an even earlier one, due when that ended, and moved since.
  const isKnown = schedule.runs.get(runTime)?.outcome === "CREATED";
  if (!isNamed && !isKnown) return "its definition does not name";
  // What was made before the clock was set back stays made, also if an edit makes it anew.
  const isAhead = runTime - at > madeAheadMs && !isKnown;
  if (isAhead && run.reason !== "REQUESTED") return "comes too early";
  switch (run.outcome) {
    case "CREATED":
      return judgeCreated(history, schedule, row, { isEdit, messages });
    case "MISSED":
      return judgeMissed(history, schedule, row);
    default:
      return judgeSkipped(history, schedule, row, messages);
  }
}

/** A backfill makes run times that are past, each as the definition names it. */
function judgeBackfilled(
  { monthlyLimits }: ScheduleHistory,
  schedule: Incarnation,
  { run, at }: WrittenRow,
): string | undefined {
  const { runTime, outcome, reason } = run;
  if (!schedule.isRunTime(schedule.definition.payload, runTime))
    return "its definition does not name";
  if (runTime > at) return "comes too early";
  if (outcome === "CREATED") return undefined;
  const isLimited = reason === "E-DI-5005" && monthlyLimits.has(schedule.accountId);
  return isLimited ? undefined : `is said to be ${reason}`;
}

function judgeCreated(
  history: ScheduleHistory,
  schedule: Incarnation,
  row: WrittenRow,
  { isEdit, messages }: { readonly isEdit: boolean; readonly messages: MessagesById },
): string | undefined {
  const { run, beside, at } = row;
  const { runTime, trigger } = run;
  const { overlap, catchUp } = schedule.definition;
  const lateMs = at - runTime;
  if (schedule.pause !== null) return "was made while the schedule was paused";
  if (schedule.skips.has(runTime)) return "was made although it was called off";
  const { maxRuns } = schedule.definition;
  if (madeBefore(schedule, runTime, beside) >= (maxRuns ?? Infinity))
    return "makes more runs than wanted";
  const before = schedule.runs.get(runTime);
  if (isEdit && before?.outcome === "CREATED") {
    const given = schedule.movedTo.get(before.messageId!);
    const { originalDeliveryTime } = messages.get(run.messageId!)!.message;
    const isKept = given === undefined || given === originalDeliveryTime;
    return isKept ? undefined : "was made again for another time than the caller has given";
  }
  // What waited under an earlier definition is made under this one.
  const mayWait = [overlap, schedule.earlierDefinition.overlap].some(
    (each) => each === "queue" || each === "replace",
  );
  if (trigger === "TIME") {
    if (lateMs <= onTimeMs) return undefined;
    if (!mayWait) return `was made ${lateMs} ms late, as if in time`;
    return judgeWaited(history, schedule, row, messages);
  }
  if (lateMs <= onTimeMs) return "was caught up although it was in time";
  if (catchUp.mode === "none" || lateMs > catchUp.windowMs) return "was not to be caught up";
  // Those that came after the outage may wait behind it: they are late, and were not missed.
  if (catchUp.mode === "last" && !mayWait && isLaterMissed(schedule, runTime, at)) {
    return "is not the last one to catch up";
  }
  return excuse(history, schedule, runTime);
}

/** A run that comes late because it had to wait comes as soon as nothing is before it. */
function judgeWaited(
  { excuses, setBackMs }: ScheduleHistory,
  { everMade, accountId }: Incarnation,
  { run: { runTime }, at }: WrittenRow,
  messages: MessagesById,
): string | undefined {
  const ends = everMade
    .filter((earlier) => earlier.runTime < runTime)
    .map((earlier) => Math.max(earlier.decidedAt, endOfMessage(earlier, messages)));
  const freeFrom = Math.max(...ends);
  // By a clock that was set back since, it ended later than it is shown here.
  if (freeFrom < runTime - setBackMs) {
    return `was made ${at - runTime} ms late, as if in time, and had not waited`;
  }
  const waitedMs = at - Math.max(freeFrom, runTime);
  if (waitedMs <= onTimeMs || excuses.hold(accountId, freeFrom, at)) return undefined;
  return `was made ${waitedMs} ms after it could be`;
}

function judgeMissed(
  history: ScheduleHistory,
  schedule: Incarnation,
  { run, at }: WrittenRow,
): string | undefined {
  const { runTime, reason } = run;
  const { mode, windowMs } = schedule.definition.catchUp;
  const lateMs = at - runTime;
  if (lateMs <= onTimeMs) return "was given up although it was in time";
  if ((reason === "TOO_OLD") !== lateMs > windowMs) return `is said to be ${reason}`;
  const isLeftOut = mode === "none" || (mode === "last" && isLaterMissed(schedule, runTime, at));
  if (reason === "NOT_CAUGHT_UP" && !isLeftOut) return "should have been caught up";
  return excuse(history, schedule, runTime);
}

/** How many run times that have come by now wait behind this one. */
function timesBehind(schedule: Incarnation, runTime: number, at: number): number {
  const { definition, skips } = schedule;
  const times = schedule.timesOf(definition.payload);
  return times.filter((each) => each > runTime && each <= at && !skips.has(each)).length;
}

function mostWaiting(overlap: Incarnation["definition"]["overlap"]): number {
  return overlap === "replace" ? 1 : mostQueuedRuns;
}

/** Whether a later run time is too late, too, and wanted. */
function isLaterMissed(schedule: Incarnation, time: number, at: number): boolean {
  const { definition, skips } = schedule;
  const times = schedule.timesOf(definition.payload);
  return times.some((each) => each > time && at - each > onTimeMs && !skips.has(each));
}

function judgeSkipped(
  { monthlyLimits, setBackMs }: ScheduleHistory,
  schedule: Incarnation,
  { run, beside, at }: WrittenRow,
  messages: MessagesById,
): string | undefined {
  const { runTime, reason } = run;
  const { lastChange, definition, skips, earlierSkips } = schedule;
  const changedNow = lastChange?.at === at ? lastChange.change.kind : undefined;
  switch (reason) {
    case "REQUESTED":
      if (skips.has(runTime)) return undefined;
      return changedNow !== undefined && earlierSkips.has(runTime)
        ? undefined
        : "was not called off";
    case "PAUSED": {
      const isPaused = changedNow === "pause" || changedNow === "resume" || changedNow === "define";
      return isPaused ? undefined : "was skipped by a pause that nobody asked for";
    }
    case "EDITED":
      if (changedNow !== "define") return "was skipped by an edit that nobody made";
      return isLostByEdit(schedule, runTime) ? "was lost by an edit that keeps it" : undefined;
    case "OVERLAP": {
      if (definition.overlap === "allow") return "was skipped although runs may overlap";
      if (definition.overlap !== "skip") {
        const isOutrun = timesBehind(schedule, runTime, at) >= mostWaiting(definition.overlap);
        return isOutrun ? undefined : "was skipped although it may wait";
      }
      const earlier = [...schedule.runs.values(), ...beside].filter(
        (each) => each.runTime < runTime,
      );
      // A step decides all of its runs before it learns that the limit allows none of them. And by a clock that
      // was set back since, the earlier one ended later than it is shown here.
      const isAlive = earlier.some(
        (each) => livesAt(each, at - setBackMs, messages) || isRefused(each, beside),
      );
      return isAlive ? undefined : "was skipped although the earlier one had ended";
    }
    case "E-DI-5005":
      if (changedNow === "define" && isLostByEdit(schedule, runTime)) return "was lost by an edit";
      return monthlyLimits.has(schedule.accountId) ? undefined : "was skipped without a limit";
    default:
      return definition.message?.notAfterMs === undefined ? `was skipped: ${reason}` : undefined;
  }
}

function isRefused(run: Run, beside: readonly Run[]): boolean {
  return run.reason === "E-DI-5005" && beside.includes(run);
}

/** Whether the message of a run is still scheduled at this instant. */
export function livesAt(run: Run, at: number, messages: MessagesById): boolean {
  return endOfMessage(run, messages) >= at;
}

/** When the message of a run left SCHEDULED. Infinity: it has not. -Infinity: there is none. */
function endOfMessage({ messageId }: Run, messages: MessagesById): number {
  const message = messageId === null ? undefined : messages.get(messageId);
  return message === undefined ? -Infinity : (message.endedAt ?? Infinity);
}

/** It was made, and is a run time under the new definition too. */
function isLostByEdit(schedule: Incarnation, runTime: number): boolean {
  const { runs, definition } = schedule;
  const { maxRuns, payload } = definition;
  // A run whose message was moved comes back behind those that stay.
  const isUsedUp = madeBefore(schedule, Infinity) - 1 >= (maxRuns ?? Infinity);
  return (
    runs.get(runTime)?.outcome === "CREATED" && schedule.isRunTime(payload, runTime) && !isUsedUp
  );
}

/** How many runs by time are made for times before this one, after a commit that writes these rows. */
export function madeBefore(
  { runs }: Incarnation,
  time: number,
  written: readonly Run[] = [],
): number {
  const after = new Map<number, Run>(runs);
  for (const run of written) after.set(run.runTime, run);
  return [...after.values()].filter(
    (run) => run.runTime < time && run.outcome === "CREATED" && isByTime(run),
  ).length;
}

function excuse(
  { excuses }: ScheduleHistory,
  { accountId }: Incarnation,
  runTime: number,
): string | undefined {
  const isExcused = excuses.hold(accountId, runTime - madeAheadMs, runTime + onTimeMs);
  return isExcused ? undefined : "was missed, and nothing had gone wrong";
}
