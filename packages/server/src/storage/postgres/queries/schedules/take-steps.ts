import type { Instant, TrackedMessage } from "../../../../domain/message.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { Step } from "../../../../domain/schedules/steps.ts";
import { settled } from "../../../../domain/schedules/steps/settled.ts";
import { cancelled, replaced, superseded } from "../../../../domain/transitions.ts";
import { StepTally } from "../../../step-tally.ts";
import type { Run } from "../../connections/connections.ts";
import { addMovedRuns } from "../../rows/moved-runs.ts";
import type { ChangedMessage } from "../../rows/option-rows.ts";
import { writeMessages } from "../../rows/write-messages.ts";
import type { Context } from "../context.ts";
import type { MakeMessages, Tried, TriedMessage, WantedMessage } from "./make-run-messages.ts";
import type { LockedMessage } from "./see-earlier.ts";
import { writeSteps } from "./write-steps.ts";
import type { StepOccasion } from "./tell-steps.ts";
import type { MadeRunMessage, TakenStep } from "./write-steps.ts";

/** A step that was decided for a locked schedule. */
export interface DecidedStep {
  readonly key: number;
  readonly before: Schedule;
  readonly step: Step;
  readonly occasion?: StepOccasion;
  /** The messages that it may end, locked and in no attempt. */
  readonly locked: readonly LockedMessage[];
}

/**
 * Does what was decided. Answers with what it has done: a step is missing, as if it had not been decided, if one of its
 * messages was not tried.
 */
export async function takeSteps(
  run: Run,
  { retentionMs }: Pick<Context, "retentionMs">,
  decided: readonly DecidedStep[],
  { now, make }: { readonly now: Instant; readonly make: MakeMessages },
): Promise<TakenStep[]> {
  const wanted = new Map(decided.map((each) => [each, wantedBy(each.step)]));
  const tried = await make(run, [...wanted.values()].flat(), now);
  const ends: ChangedMessage[] = [];
  const taken = decided.flatMap((each): TakenStep[] => {
    const made = wanted.get(each)!.map((message) => tried.get(message));
    if (made.includes(undefined)) return [];
    return [settle(each, made as TriedMessage[])];
  });
  await writeMessages(run, ends);
  await writeSteps(run, taken, { now, retentionMs });
  await addMovedRuns(run, madeAgain(tried));
  return taken;

  function settle(
    { key, before, step, locked, occasion }: DecidedStep,
    made: TriedMessage[],
  ): TakenStep {
    const { schedule, runs, replacedMessageId, hasTooManyUnmade } = settled(step, made);
    const messages = new Map<Instant, MadeRunMessage>();
    for (const [index, result] of made.entries()) {
      if (result.kind === "made") messages.set(step.messages[index]!.runTime, result);
    }
    for (const messageId of step.cancelledMessageIds) end(locked, messageId, cancelled);
    for (const messageId of step.supersededMessageIds) end(locked, messageId, superseded);
    if (replacedMessageId !== null) end(locked, replacedMessageId, replaced);
    const noted = runs.map((each) => ({ run: each, made: messages.get(each.runTime) }));
    const { undoneRunTimes } = step;
    return { key, before, schedule, undoneRunTimes, runs: noted, occasion, hasTooManyUnmade };
  }

  function end(
    locked: readonly LockedMessage[],
    messageId: string,
    ending: typeof cancelled,
  ): void {
    const found = locked.find(({ message }) => message.messageId === messageId);
    const after = found && ending(found.message, now, retentionMs);
    if (after === undefined) throw new Error("a step ends only messages that it has locked");
    const { targetKey, eventMask, message: before } = found!;
    ends.push({ targetKey, eventMask, now, before, after });
  }
}

/** Messages that were made in the place of others, after their run times or for times that callers gave. */
function madeAgain(tried: Tried): TrackedMessage[] {
  return [...tried].flatMap(([{ insteadOf }, result]) =>
    insteadOf !== undefined && result.kind === "made" ? [result.message] : [],
  );
}

/** Counts what was done, once it is committed. */
export function tallyOf(taken: readonly TakenStep[]): StepTally {
  const tally = new StepTally();
  for (const { schedule, runs } of taken) {
    for (const { run, made } of runs) {
      tally.runs[run.outcome]++;
      if (made === undefined) continue;
      const { message, targetKey } = made;
      const dueAt = message.nextDeliveryTime!;
      tally.add({ accountId: schedule.accountId, targetKey, dueAt }, message);
    }
  }
  return tally;
}

function wantedBy({ schedule, messages }: Step): WantedMessage[] {
  return messages.map((message) => ({ ...message, schedule }));
}
