import { codes } from "../../refusals.ts";
import { mostBeyondRecord, mostOnRecord } from "../limits.ts";
import type { Run } from "../run.ts";
import type { Schedule } from "../schedule.ts";
import type { MadeMessage, RunMessage, SettledStep, Step } from "../steps.ts";
import { isMadeByTime, unmadeRun } from "./draft.ts";

/** What to keep of a step, by what became of its messages: one for each, in the same order. */
export function settled(step: Step, made: readonly MadeMessage[]): SettledStep {
  const tried = step.messages.map((message, index) => runOf(message, made[index]!));
  const runs = tried.length === 0 ? step.runs : [...step.runs, ...tried];
  const byTime = tried.filter(isMadeByTime);
  const unmade = unmadeRuns(step.schedule, runs);
  const hasTooManyUnmade = unmade > mostOnRecord + mostBeyondRecord;
  const schedule = withRuns(step, runs, byTime);
  return {
    schedule: withUnmade(schedule, hasTooManyUnmade ? mostOnRecord : unmade),
    runs,
    replacedMessageId: byTime.length > 0 ? step.replacedMessageId : null,
    hasTooManyUnmade,
  };
}

/** Rows that were replaced, undone or have expired count as well: whoever removes too many finds out. */
function unmadeRuns({ progress }: Schedule, runs: readonly Run[]): number {
  return (progress.unmadeRuns ?? 0) + runs.filter(({ messageId }) => messageId === null).length;
}

function withUnmade(schedule: Schedule, unmade: number): Schedule {
  const { progress } = schedule;
  if (unmade === (progress.unmadeRuns ?? 0)) return schedule;
  return { ...schedule, progress: { ...progress, unmadeRuns: unmade } };
}

function withRuns(step: Step, runs: readonly Run[], byTime: readonly Run[]): Schedule {
  const { schedule } = step;
  if (runs.length === 0) return ended(schedule);
  let { lastRun } = schedule;
  for (const run of runs) if (lastRun === null || run.runTime >= lastRun.runTime) lastRun = run;
  const { progress } = schedule;
  return ended({
    ...schedule,
    lastRun,
    progress: {
      ...progress,
      madeRuns: progress.madeRuns + byTime.length,
      earlierMessageId: latestMessageId(step, byTime) ?? progress.earlierMessageId,
    },
  });
}

function latestMessageId({ messages }: Step, byTime: readonly Run[]) {
  const outOfTurn = new Set(
    messages.filter(({ isOutOfTurn }) => isOutOfTurn).map(({ runTime }) => runTime),
  );
  return byTime.findLast(({ runTime }) => !outOfTurn.has(runTime))?.messageId;
}

/** After its last run by `maxRuns` a schedule has no next one. */
function ended(schedule: Schedule): Schedule {
  const { maxRuns, pause, progress } = schedule;
  if (maxRuns === null || progress.madeRuns < maxRuns || pause !== null) return schedule;
  return {
    ...schedule,
    nextRunTime: null,
    progress: { ...progress, lookTime: null, isQueueing: false },
  };
}

function runOf({ runTime, trigger }: RunMessage, made: MadeMessage): Run {
  switch (made.kind) {
    case "made":
      return { runTime, trigger, outcome: "CREATED", reason: null, messageId: made.messageId };
    case "over-quota":
      return unmadeRun(runTime, "SKIPPED", codes.monthlyLimitReached, trigger);
    default:
      return unmadeRun(runTime, "SKIPPED", "NOT_AFTER", trigger);
  }
}
