import type { Instant } from "../../instant.ts";
import { triggersByTime } from "../run.ts";
import type { Run, RunReason, RunTrigger } from "../run.ts";
import { runsLeftOf } from "../runs-left.ts";
import type { Schedule } from "../schedule.ts";
import type { RunMessage, Step, Surroundings } from "../steps.ts";

/** "made-here": the step makes it. Nothing can replace it before the next step. */
export type Earlier = Surroundings["earlier"] | "made-here";

/** A step while it is being decided. */
export interface Draft {
  schedule: Schedule;
  earlier: Earlier;
  readonly cancelledMessageIds: string[];
  /** The run times of those messages. */
  readonly takenBackTimes: Set<Instant>;
  readonly undoneRunTimes: Instant[];
  readonly messages: RunMessage[];
  readonly runs: Run[];
  replacedMessageId: string | null;
}

export function draftOf(schedule: Schedule, earlier: Earlier): Draft {
  return {
    ...{ schedule, earlier, cancelledMessageIds: [], undoneRunTimes: [], messages: [], runs: [] },
    takenBackTimes: new Set(),
    replacedMessageId: null,
  };
}

export function stepOf(draft: Draft): Step {
  const { earlier: _, takenBackTimes, undoneRunTimes, ...rest } = draft;
  const step = takenBackTimes.size === 0 ? rest : { ...rest, messages: counted(draft) };
  if (undoneRunTimes.length === 0) return { ...step, undoneRunTimes };
  const written = new Set([...step.runs, ...step.messages].map(({ runTime }) => runTime));
  return { ...step, undoneRunTimes: undoneRunTimes.filter((time) => !written.has(time)) };
}

/** A run that is made again counts once. */
function counted({ messages, takenBackTimes }: Draft): RunMessage[] {
  return messages.map((message) => ({ ...message, counts: !takenBackTimes.has(message.runTime) }));
}

/** A row that says why there is no message. */
export function unmadeRun(
  runTime: Instant,
  outcome: "SKIPPED" | "MISSED",
  reason: RunReason,
  trigger: RunTrigger = "TIME",
): Run {
  return { runTime, trigger, outcome, reason, messageId: null };
}

/** Those that `maxRuns` counts and `overlap` asks about. */
export function isByTime({ trigger }: { readonly trigger: RunTrigger }): boolean {
  return triggersByTime.includes(trigger);
}

export function isMadeByTime(run: Run): boolean {
  return isByTime(run) && run.outcome === "CREATED";
}

/** How many runs `maxRuns` leaves, if all messages of the step are made. */
export function runsLeft({ schedule, messages }: Draft): number {
  return (runsLeftOf(schedule) ?? Infinity) - messages.filter(isByTime).length;
}
