import type { Instant } from "../../instant.ts";
import { latestOccurrences } from "../occurrences/latest-occurrences.ts";
import type { Recurrence } from "../occurrences/occurrences.ts";
import type { RunReason } from "../run.ts";
import { mostOnRecord } from "../limits.ts";
import type { Schedule } from "../schedule.ts";
import type { OpenRun, Surroundings } from "../steps.ts";
import { isByTime, isMadeForRunTime, unmadeRun } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { UndecidedTimes } from "./undecided-times.ts";

/** Cancels the messages of these runs. They count no more against `maxRuns`. */
export function cancelRuns(
  draft: Draft,
  runs: readonly OpenRun[],
  surroundings: Pick<Surroundings, "openRuns" | "firmRun">,
): void {
  const { progress } = draft.schedule;
  const messageIds = new Set(runs.map(({ messageId }) => messageId));
  draft.cancelledMessageIds.push(...messageIds);
  for (const { runTime, messageId } of runs) draft.takenBack.set(runTime, messageId);
  const madeRuns = progress.madeRuns - runs.filter(isByTime).length;
  draft.schedule = { ...draft.schedule, progress: { ...progress, madeRuns } };
  if (messageIds.has(progress.earlierMessageId ?? "")) askBefore(draft, messageIds, surroundings);
}

/** The latest run is taken back, so `overlap` asks about the latest one that stays. */
function askBefore(
  draft: Draft,
  goneIds: ReadonlySet<string>,
  { openRuns, firmRun }: Pick<Surroundings, "openRuns" | "firmRun">,
): void {
  const open = openRuns.findLast((run) => isByTime(run) && !goneIds.has(run.messageId));
  const isFirm = open === undefined || open.runTime < (firmRun?.runTime ?? -Infinity);
  const earlierMessageId = (isFirm ? firmRun : open)?.messageId ?? null;
  draft.earlier = isFirm ? (firmRun?.state ?? "ended") : "scheduled";
  const { progress } = draft.schedule;
  draft.schedule = { ...draft.schedule, progress: { ...progress, earlierMessageId } };
}

/**
 * Where run times are not decided any more, or not yet: `now`, or the latest run after it that stays. The cursor never
 * moves back behind that one, or it would be made a second time. After `now` it is by time, as it was made ahead, or the
 * clock was set back: then a backfill may have made it, too.
 */
export function startOver(
  { now, recordedRuns }: Surroundings,
  undone: readonly OpenRun[] = [],
): Instant {
  const undoneTimes = new Set(undone.map(({ runTime }) => runTime));
  const stays = recordedRuns.findLast(
    (run) => isMadeForRunTime(run) && !undoneTimes.has(run.runTime),
  );
  return Math.max(now, stays?.runTime ?? now);
}

/**
 * Rows of runs that are not decided any more go: those after the cursor, and those to come that were taken back. The
 * last run is then an earlier one.
 */
export function undoRows(
  draft: Draft,
  { now, recordedRuns }: Surroundings,
  undone: readonly OpenRun[] = [],
): void {
  const { cursor } = draft.schedule.progress;
  const gone = new Set<Instant>();
  for (const { runTime } of undone) if (runTime > now) gone.add(runTime);
  for (const run of recordedRuns) {
    if (run.runTime > Math.max(now, cursor) && isByTime(run)) gone.add(run.runTime);
  }
  draft.undoneRunTimes.push(...gone);
  if (!gone.has(draft.schedule.lastRun?.runTime ?? NaN)) return;
  const { lastPastRun } = draft.schedule.progress;
  const known = lastPastRun === undefined ? recordedRuns : [lastPastRun, ...recordedRuns];
  const staying = known.filter(({ runTime }) => !gone.has(runTime));
  const lastRun = staying.toSorted((a, b) => a.runTime - b.runTime).at(-1) ?? null;
  draft.schedule = { ...draft.schedule, lastRun };
}

/** Run times up to `now`, or up to the pause, that nobody has decided: they were missed, or had to wait. */
export function pendingTimes(
  schedule: Schedule,
  recurrence: Recurrence,
  now: Instant,
): readonly Instant[] {
  const { pause, progress, maxRuns } = schedule;
  if (progress.madeRuns >= (maxRuns ?? Infinity)) return [];
  if (pause === null) return new UndecidedTimes(schedule, recurrence).until(now, mostOnRecord);
  // The pause is later than now if the clock was set back.
  const until = Math.min(pause.time, now);
  if (progress.cursor >= until) return [];
  return latestOccurrences(recurrence, progress.cursor, until, mostOnRecord);
}

/** Says of run times that no run is made for them any more. */
export function recordSkipped(
  draft: Draft,
  times: readonly Instant[],
  reason: Extract<RunReason, "PAUSED" | "EDITED">,
): void {
  const calledOff = new Set(draft.schedule.skips);
  for (const time of times) {
    draft.runs.push(unmadeRun(time, "SKIPPED", calledOff.has(time) ? "REQUESTED" : reason));
  }
}
