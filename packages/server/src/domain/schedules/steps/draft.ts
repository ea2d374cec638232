import type { Instant } from "../../instant.ts";
import { triggersByTime } from "../run.ts";
import type { Run, RunReason, RunTrigger } from "../run.ts";
import { runsLeftOf } from "../runs-left.ts";
import type { Schedule } from "../schedule.ts";
import type { OpenRun, RunMessage, Step, Surroundings } from "../steps.ts";

/** "made-here": the step makes it. Nothing can replace it before the next step. */
export type Earlier = Surroundings["earlier"] | "made-here";

/** A step while it is being decided. */
export interface Draft {
  schedule: Schedule;
  earlier: Earlier;
  readonly cancelledMessageIds: string[];
  /** Those messages by their run times. */
  readonly takenBack: Map<Instant, string>;
  /** Of these, by their run times, those whose messages callers have moved. Made again, they are due as before. */
  readonly movedRuns: Map<Instant, OpenRun>;
  readonly undoneRunTimes: Instant[];
  readonly messages: RunMessage[];
  readonly runs: Run[];
  replacedMessageId: string | null;
}

export function draftOf(schedule: Schedule, earlier: Earlier): Draft {
  return {
    ...{ schedule, earlier, cancelledMessageIds: [], undoneRunTimes: [], messages: [], runs: [] },
    takenBack: new Map(),
    movedRuns: new Map(),
    replacedMessageId: null,
  };
}

export function stepOf(draft: Draft): Step {
  const { earlier: _, takenBack: __, movedRuns: ___, undoneRunTimes, ...rest } = draft;
  const step = { ...rest, ...withSuccessors(draft) };
  if (undoneRunTimes.length === 0) return { ...step, undoneRunTimes };
  const written = new Set([...step.runs, ...step.messages].map(({ runTime }) => runTime));
  return { ...step, undoneRunTimes: undoneRunTimes.filter((time) => !written.has(time)) };
}

/** A run that is made again counts once, so its earlier message must not come back beside the new one. */
function withSuccessors({ messages, takenBack, cancelledMessageIds }: Draft) {
  if (takenBack.size === 0) return { messages, cancelledMessageIds, supersededMessageIds: [] };
  const superseded = new Set(messages.map(({ runTime }) => takenBack.get(runTime)));
  return {
    messages: messages.map((each) => ({ ...each, counts: !takenBack.has(each.runTime) })),
    cancelledMessageIds: cancelledMessageIds.filter((messageId) => !superseded.has(messageId)),
    supersededMessageIds: cancelledMessageIds.filter((messageId) => superseded.has(messageId)),
  };
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

/** Whether it was made for a run time, by time or by a backfill. That time must not come by time any more. */
export function isMadeForRunTime(run: Run): boolean {
  return run.trigger !== "MANUAL" && run.outcome === "CREATED";
}

/** How many runs `maxRuns` leaves, if all messages of the step are made. */
export function runsLeft({ schedule, messages }: Draft): number {
  return (runsLeftOf(schedule) ?? Infinity) - messages.filter(isByTime).length;
}
