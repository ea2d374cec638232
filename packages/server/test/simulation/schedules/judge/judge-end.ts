import type { Incarnation, Stretch } from "./incarnation.ts";
import { isByTime, livesAt, madeBefore } from "./judge-row.ts";
import { madeAheadMs, onTimeMs } from "./schedule-history.ts";
import type { RunsMessage, ScheduleHistory } from "./schedule-history.ts";
import { textOf } from "./text-of.ts";

type Overlap = Incarnation["definition"]["overlap"];

/** How long after the end of an earlier message a run is made that waits for it. */
const lookAgainMs = 5_000;

/** Compares the runs that are on record in the end with the run times that the oracle names. */
export function judgeEnd(
  history: ScheduleHistory,
  schedule: Incarnation,
  messages: ReadonlyMap<string, RunsMessage>,
): string[] {
  schedule.endPause(history.endTime);
  const problems: string[] = [];
  const say = (time: number, what: string): void =>
    void problems.push(`${schedule.name} ${textOf(time)} ${what}`);
  const expected = new Set<number>();
  for (const [place, stretch] of schedule.stretches.entries()) {
    const until = Math.min(stretch.until, history.endTime);
    for (const time of schedule.timesOf(stretch.payload)) {
      if (time <= stretch.after || time > until) continue;
      expected.add(time);
      if (schedule.runs.has(time)) continue;
      const limits = stretchesOf(schedule, place, time, messages);
      if (limits.some((each) => isUsedUp(schedule, each, time))) continue;
      if (mayBeUndecided(history, schedule, stretch, time)) continue;
      const overlap = overlapThen(schedule, stretch, schedule.stretches[place + 1]);
      if (overlap === "allow" || !mayWait(schedule, until, time, messages)) say(time, "is missing");
    }
  }
  for (const run of schedule.runs.values()) {
    if (!isByTime(run) || expected.has(run.runTime)) continue;
    if (!isAhead(history, schedule, run.runTime))
      say(run.runTime, `${run.outcome} is one too many`);
  }
  for (const { runTime, messageId } of schedule.runs.values()) {
    const message = messageId === null ? undefined : messages.get(messageId)?.message;
    const isTakenBack = message?.state === "CANCELLED" && message.endReason === null;
    const isRemoved = message?.cancellationTime === schedule.removalTime;
    if (isTakenBack && !isRemoved) say(runTime, "is CREATED, and its message was taken back");
  }
  return [...problems, ...judgeNext(history, schedule)];
}

/**
 * The stretches in which a run time may have been decided. What waits at an edit counts for the number of runs that the
 * new definition allows, and so on, as long as it waits at the next edit, too.
 */
function stretchesOf(
  schedule: Incarnation,
  place: number,
  time: number,
  messages: ReadonlyMap<string, RunsMessage>,
): readonly Stretch[] {
  const { stretches } = schedule;
  let last = Math.min(place + 1, stretches.length - 1);
  const waitsOn = ({ endedBy, until }: Stretch): boolean =>
    endedBy === "edit" && mayWait(schedule, until, time, messages);
  while (last + 1 < stretches.length && waitsOn(stretches[last]!)) last++;
  return stretches.slice(place, last + 1);
}

/** `maxRuns` allows no more, or did not then: what was made by then may have been taken back since. */
function isUsedUp(schedule: Incarnation, { payload }: Stretch, time: number): boolean {
  const maxRuns = schedule.maxRunsOf(payload);
  if (maxRuns === null) return false;
  const then = schedule.madeCounts.findLast(({ at }) => at <= time)?.count ?? 0;
  return Math.max(then, madeBefore(schedule, time)) >= maxRuns;
}

/** Its turn comes after an earlier run, whose message had not ended a moment before, or which was decided then. */
function mayWait(
  schedule: Incarnation,
  until: number,
  time: number,
  messages: ReadonlyMap<string, RunsMessage>,
): boolean {
  const since = until - lookAgainMs;
  const earlier = [...schedule.runs.values()].filter((run) => isByTime(run) && run.runTime < time);
  return earlier.some((run) => run.decidedAt >= since || livesAt(run, since, messages));
}

/**
 * The definition that says whether it waits: the last one. If nobody could come to make it between the edit that says
 * that it need not wait and the next change, the one before.
 */
function overlapThen(schedule: Incarnation, ended: Stretch, next: Stretch | undefined): Overlap {
  const isShort = next !== undefined && next.until - ended.until <= lookAgainMs;
  return ended.endedBy === "edit" && isShort
    ? schedule.overlapOf(ended.payload)
    : schedule.definition.overlap;
}

/** Nobody could come to decide it before the schedule paused itself or was removed, or the world ended. */
function mayBeUndecided(
  { excuses, endTime }: ScheduleHistory,
  { accountId }: Incarnation,
  { reached, until, endedBy }: Stretch,
  time: number,
): boolean {
  // After the clock was set back, the cursor stays behind a run that was made before.
  if (time <= reached + madeAheadMs) return true;
  if (endedBy === "pause" || endedBy === "edit") return false;
  const end = Math.min(until, endTime);
  return excuses.hold(accountId, end - madeAheadMs - onTimeMs, end);
}

/** It was made ahead, and stays. The rows of a schedule that was removed are gone, and its messages are judged. */
function isAhead({ endTime, setBackMs }: ScheduleHistory, schedule: Incarnation, time: number) {
  return schedule.stretches.some(({ payload, until, endedBy }) => {
    if (!schedule.isRunTime(payload, time)) return false;
    const isLeft = endedBy === "itself" || endedBy === "removal" || endedBy === null;
    const stays = isLeft || setBackMs > 0;
    const end = Math.min(until, endTime);
    return stays && time > end && time - end <= madeAheadMs + setBackMs;
  });
}

/** What is stored as the next run time leaves out no other. */
function judgeNext({ schedules, setBackMs }: ScheduleHistory, incarnation: Incarnation): string[] {
  const { current, scheduleKey, name } = incarnation;
  const left = schedules.find((each) => each.scheduleKey === scheduleKey)?.schedule;
  if (left === undefined || current === undefined) return [];
  const { payload } = current;
  const byTime = [...incarnation.runs.values()].filter(({ isDecidedByTime }) => isDecidedByTime);
  const begin = Math.max(current.after, current.backfilledUntil);
  const latest = Math.max(...byTime.map(({ runTime }) => runTime), begin);
  const times = incarnation.timesOf(payload).filter((time) => !incarnation.skips.has(time));
  const next = times.find((time) => time > latest);
  if (next === undefined || isUsedUp(incarnation, current, next)) return [];
  if (left.nextRunTime === next || waitsSinceAnEdit(incarnation, left.nextRunTime)) return [];
  // It began before the clock was set back, and what was stored then stays the truth.
  const wasNext = incarnation.stretches.some(
    ({ after }) => after > latest && times.find((time) => time > after) === left.nextRunTime,
  );
  if (setBackMs > 0 && wasNext) return [];
  return [
    `${name} goes on with ${left.nextRunTime && textOf(left.nextRunTime)}, not ${textOf(next)}`,
  ];
}

/** The first of the run times that were due before an edit, and wait for an earlier message. */
function waitsSinceAnEdit(schedule: Incarnation, time: number | null): boolean {
  const { stretches, definition } = schedule;
  const edited = stretches.filter(({ endedBy }) => endedBy === "edit");
  const waiting = edited
    .flatMap(({ payload, after, until }) =>
      schedule.timesOf(payload).filter((each) => each > after && each <= until),
    )
    .filter((each) => !schedule.runs.has(each));
  return definition.overlap !== "allow" && time === Math.min(...waiting);
}
