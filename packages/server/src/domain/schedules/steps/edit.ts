import type { Instant } from "../../instant.ts";
import type { TimeZones } from "../../time-zones/time-zones.ts";
import { madeAheadMs, mostOnRecord } from "../limits.ts";
import { latestOccurrences } from "../occurrences/latest-occurrences.ts";
import { nextOccurrence, occurrencesAmong } from "../occurrences/next-occurrence.ts";
import type { Recurrence } from "../occurrences/occurrences.ts";
import { isSameRecurrence, recurrenceOf } from "../occurrences/recurrence-of.ts";
import type { Schedule, ScheduleDefinition } from "../schedule.ts";
import type { OpenRun, Step, Surroundings } from "../steps.ts";
import { beforeChange } from "./before-change.ts";
import { draftOf, isByTime, runsLeft, stepOf, unmadeRun } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { makeRuns } from "./make-runs.ts";
import { asPaused } from "./pause.ts";
import { ownDueTime, runMessage } from "./run-message.ts";
import { cancelRuns, pendingTimes, recordSkipped, startOver, undoRows } from "./take-back.ts";
import { firstNotCalledOff } from "./undecided-times.ts";

/**
 * Of so many of the latest open runs an edit asks whether callers have moved them. More are open only if callers have
 * moved most of them, and to ask costs a search for the next run time each.
 */
const mostSpread = 10;

/** The schedule with another definition. What was made and is not due yet is made again under that one, or not at all. */
export function edited(
  schedule: Schedule,
  definition: ScheduleDefinition,
  surroundings: Surroundings,
  zones: TimeZones,
): Step | "no-occurrence" {
  const { now, earlier } = surroundings;
  const before = beforeChange(schedule, surroundings, zones);
  const after = { ...before, ...definition, revision: before.revision + 1, updateTime: now };
  const draft = draftOf(after, earlier);
  const undone = surroundings.openRuns.filter(isByTime);
  cancelRuns(draft, undone, surroundings);
  const earlierRecurrence = recurrenceOf(before, zones);
  const spread = new Set(undone.slice(-mostSpread));
  for (const run of undone) {
    const isOwn = spread.has(run) && !isMoved(run, before, earlierRecurrence);
    if (!isOwn) draft.movedRuns.set(run.runTime, run);
  }
  const pending = pendingTimes(before, earlierRecurrence, now);
  const edit: Edit = {
    ...{ before, pending, undone, surroundings },
    recurrence: recurrenceOf(after, zones),
    isSame: isSameRecurrence(before, after),
  };
  return before.pause === null ? goOn(draft, edit) : stayPaused(draft, edit);
}

interface Edit {
  readonly before: Schedule;
  readonly recurrence: Recurrence;
  /** Whether it is due at the same times as before. */
  readonly isSame: boolean;
  readonly pending: readonly Instant[];
  readonly undone: readonly OpenRun[];
  readonly surroundings: Surroundings;
}

function stayPaused(draft: Draft, edit: Edit): Step | "no-occurrence" {
  const { recurrence, pending, undone, surroundings } = edit;
  const { now } = surroundings;
  const cursor = startOver(surroundings, undone);
  if (nextOccurrence(recurrence, cursor) === null) return "no-occurrence";
  const over = undone.map(({ runTime }) => runTime).filter((time) => time <= now);
  recordSkipped(draft, [...pending, ...over], "PAUSED");
  const progress = { ...draft.schedule.progress, cursor };
  const skips = keptSkips(edit, cursor);
  // Its time is later than now if the clock was set back, and nothing that comes until then was missed.
  const pause = { ...edit.before.pause!, time: Math.min(edit.before.pause!.time, now) };
  draft.schedule = asPaused({ ...draft.schedule, skips, progress, pause }, recurrence);
  undoRows(draft, surroundings, undone);
  return stepOf(draft);
}

function goOn(draft: Draft, edit: Edit): Step | "no-occurrence" {
  const { before, recurrence, isSame, undone, surroundings } = edit;
  const { cursor, dropped } = whereToGoOn(edit);
  recordSkipped(draft, dropped, "EDITED");
  const skips = keptSkips(edit, cursor);
  // Rows after the cursor go, and are decided again. Those whose messages wait stay what they are, whatever newer time-zone
  // data says. Others may be of a definition before this one: then the clock was set back to before their time. So may be
  // all that are further ahead, and all if the clock shows a time before the last change.
  const rows = surroundings.recordedRuns.filter(isByTime).map(({ runTime }) => runTime);
  const isBeforeLastChange = surroundings.now < before.updateTime;
  const ahead = isBeforeLastChange ? -Infinity : surroundings.now + madeAheadMs;
  const waiting = new Set(undone.map(({ runTime }) => runTime));
  const isOwn = (time: Instant): boolean => time <= ahead && waiting.has(time);
  const others = rows.filter((time) => !isOwn(time));
  const stored = [
    ...rows.filter(isOwn),
    ...occurrencesAmong(recurrence, others),
    before.nextRunTime ?? -Infinity,
  ];
  const kept = isSame ? stored.filter((time) => time > cursor) : [];
  const first = kept.length > 0 ? Math.min(...kept) : nextOccurrence(recurrence, cursor);
  draft.schedule = {
    ...draft.schedule,
    skips,
    nextRunTime: firstNotCalledOff(recurrence, first, skips),
    progress: { ...draft.schedule.progress, cursor },
  };
  const over = undone.filter(({ runTime }) => runTime <= cursor);
  const times = over.map(({ runTime }) => runTime);
  const stays = new Set(isSame ? times : occurrencesAmong(recurrence, times));
  for (const run of over) makeAgain(draft, run, stays.has(run.runTime), edit);
  if (first === null && draft.messages.length === 0) return "no-occurrence";
  undoRows(draft, surroundings, undone);
  return makeRuns(draft, surroundings.now, recurrence);
}

/**
 * Run times that are not decided yet stay so, if they are run times under the new definition too. But it adds none:
 * where it would, the schedule goes on after that time. What is lost with that goes on record.
 */
function whereToGoOn({ before, recurrence, isSame, pending, undone, surroundings }: Edit): {
  readonly cursor: Instant;
  readonly dropped: readonly Instant[];
} {
  const { now } = surroundings;
  const { cursor } = before.progress;
  if (pending.length === 0) return { cursor: startOver(surroundings, undone), dropped: [] };
  if (isSame) return { cursor, dropped: [] };
  const due = latestOccurrences(recurrence, cursor, now, mostOnRecord);
  const waiting = new Set(pending);
  const added = due.findLast((time) => !waiting.has(time));
  const from = added ?? (due.length === mostOnRecord ? due[0]! - 1 : cursor);
  const kept = new Set(due.filter((time) => time > from));
  if (kept.size === 0) return { cursor: now, dropped: pending };
  return { cursor: from, dropped: pending.filter((time) => !kept.has(time)) };
}

function keptSkips({ before, recurrence, isSame, surroundings }: Edit, cursor: Instant) {
  const left = before.skips.filter((time) => time > surroundings.now || time > cursor);
  return isSame ? left : occurrencesAmong(recurrence, left);
}

/** Whether its message is due at another time than the schedule has given it. */
function isMoved(run: OpenRun, schedule: Schedule, recurrence: Recurrence): boolean {
  return run.dueTime !== ownDueTime(schedule, run, () => nextOccurrence(recurrence, run.runTime));
}

/**
 * A run that was taken back, for a time that is over for the schedule: in its flex window, or one whose message a
 * caller has moved. That one stays where the caller has put it.
 */
function makeAgain(draft: Draft, run: OpenRun, isRunTime: boolean, edit: Edit): void {
  const { runTime, trigger, messageId } = run;
  const { before, recurrence, surroundings } = edit;
  const { now } = surroundings;
  if (!isRunTime || runsLeft(draft) <= 0) {
    if (runTime <= now) draft.runs.push(unmadeRun(runTime, "SKIPPED", "EDITED", trigger));
    return;
  }
  const { schedule } = draft;
  const dueTime = draft.movedRuns.has(runTime)
    ? run.dueTime
    : ownDueTime(schedule, run, () => nextOccurrence(recurrence, runTime));
  const message = runMessage(schedule, runTime, trigger, Math.max(now, dueTime));
  const isOutOfTurn = messageId !== before.progress.earlierMessageId;
  draft.messages.push({ ...message, insteadOf: run, isOutOfTurn });
  if (!isOutOfTurn) draft.earlier = "made-here";
}
