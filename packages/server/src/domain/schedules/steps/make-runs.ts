import type { Instant } from "../../instant.ts";
import { isOutrun } from "../../message-options.ts";
import { madeAheadMs, mostCaughtUp, mostDecidedAtOnce, mostOnRecord } from "../limits.ts";
import type { Recurrence } from "../occurrences/occurrences.ts";
import type { RunTrigger } from "../run.ts";
import type { Schedule, ScheduleProgress } from "../schedule.ts";
import type { RunMessage, Step } from "../steps.ts";
import { runsLeft, stepOf, unmadeRun } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { dueVerdicts } from "./due-verdicts.ts";
import type { Verdict } from "./due-verdicts.ts";
import { lookAgainTime, meetEarlier } from "./overlap.ts";
import { queueGapsOf, queueMemory } from "./queue-gaps.ts";
import { ownDueTime, runMessage } from "./run-message.ts";
import { UndecidedTimes } from "./undecided-times.ts";

/**
 * Ends a step of a schedule that is not paused. It decides the run times up to `now` and those of the next seconds,
 * in their order, until one has to wait for the earlier message, or until there are enough for one step. The cursor
 * is then at the last one that was decided.
 */
export function makeRuns(draft: Draft, now: Instant, recurrence: Recurrence): Step {
  const { schedule } = draft;
  const times = new UndecidedTimes(schedule, recurrence);
  const waiting = waitingTime(draft, times, now);
  if (waiting !== null) return lookAgain(draft, lookAgainTime(waiting, draft.earlier, now), now);
  const due = times.until(now, mostCaughtUp + mostOnRecord);
  const verdicts = dueVerdicts(schedule, due, now);
  let { cursor } = schedule.progress;
  let time = due[0] ?? times.after(Math.max(cursor, now));
  let waitsUntil: Instant | null = null;
  for (let index = 0; time !== null && time - madeAheadMs <= now; index++) {
    if (index === mostDecidedAtOnce || runsLeft(draft) <= 0) break;
    const following: Instant | null = due[index + 1] ?? times.after(time);
    const verdict = verdicts[index] ?? aheadVerdict(schedule.skips, time);
    if (decide(draft, verdict, { time, following, now }) === "wait") {
      waitsUntil = lookAgainTime(time, draft.earlier, now);
      break;
    }
    cursor = time;
    time = following;
  }
  const { queueLookTime: _, queueGaps: __, ...progress } = schedule.progress;
  const isHeldBack = waitsUntil !== null || progress.isQueueing;
  const isQueueing = isHeldBack && time !== null && time <= now;
  draft.schedule = {
    ...schedule,
    skips: schedule.skips.filter((each) => each > now || each > cursor),
    nextRunTime: times.firstNotCalledOff(time, schedule.skips),
    progress: {
      ...progress,
      cursor,
      lookTime: waitsUntil ?? (time === null ? null : Math.max(now, time - madeAheadMs)),
      ...queueMemory(isQueueing, queueGapsOf(schedule.progress, now), now),
      ...lastPastRun(schedule, now),
    },
  };
  return stepOf(draft);
}

/** Rows of times that are over for less than the runs are made ahead have not expired. */
function lastPastRun({ lastRun }: Schedule, now: Instant): Pick<ScheduleProgress, "lastPastRun"> {
  return lastRun === null || lastRun.runTime > now ? {} : { lastPastRun: lastRun };
}

/**
 * A run time that waits, as it did at the last look. Nothing changes before the earlier message ends, so nobody need
 * know how many wait behind it.
 */
function waitingTime({ schedule, earlier }: Draft, times: UndecidedTimes, now: Instant) {
  const { overlap, progress, skips } = schedule;
  const first = progress.isQueueing ? times.after(progress.cursor) : null;
  if (first === null || first > now || skips.includes(first)) return null;
  return meetEarlier(overlap, earlier, first, now) === "wait" ? first : null;
}

function lookAgain(draft: Draft, lookTime: Instant, now: Instant): Step {
  const { schedule } = draft;
  const { progress } = schedule;
  const memory = queueMemory(true, queueGapsOf(progress, now), now);
  draft.schedule = { ...schedule, progress: { ...progress, ...memory, lookTime } };
  return stepOf(draft);
}

function aheadVerdict(skips: readonly Instant[], time: Instant): Verdict {
  if (!skips.includes(time)) return { make: "TIME" };
  return { unmade: unmadeRun(time, "SKIPPED", "REQUESTED") };
}

interface Moment {
  readonly time: Instant;
  /** The run time after it. */
  readonly following: Instant | null;
  readonly now: Instant;
}

function decide(draft: Draft, verdict: Verdict, { time, following, now }: Moment): "wait" | void {
  if ("unmade" in verdict) {
    if (verdict.unmade !== null) draft.runs.push(verdict.unmade);
    return;
  }
  const message = messageOf(draft, verdict.make, time, following);
  if (isOutrun(message.options, message.deliveryTime, now)) {
    draft.runs.push(unmadeRun(time, "SKIPPED", "NOT_AFTER", verdict.make));
    return;
  }
  const { schedule, earlier } = draft;
  // A run that is made again has met the earlier one already.
  const isAgain = message.insteadOf !== undefined;
  const meeting = isAgain ? "make" : meetEarlier(schedule.overlap, earlier, time, now);
  if (meeting === "wait") return "wait";
  if (meeting === "skip") {
    draft.runs.push(unmadeRun(time, "SKIPPED", "OVERLAP", verdict.make));
    return;
  }
  if (meeting === "replace") draft.replacedMessageId = schedule.progress.earlierMessageId;
  draft.messages.push(message);
  draft.earlier = "made-here";
}

function messageOf(
  { schedule, movedRuns }: Draft,
  trigger: RunTrigger,
  runTime: Instant,
  following: Instant | null,
): RunMessage {
  const moved = movedRuns.get(runTime);
  const deliveryTime =
    moved?.dueTime ?? ownDueTime(schedule, { runTime, trigger }, () => following);
  const message = runMessage(schedule, runTime, trigger, deliveryTime);
  return moved === undefined ? message : { ...message, insteadOf: moved };
}
