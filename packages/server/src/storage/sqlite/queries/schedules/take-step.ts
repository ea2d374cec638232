import type { Instant, TrackedMessage } from "../../../../domain/message.ts";
import { mostOnRecord } from "../../../../domain/schedules/limits.ts";
import { countedAt } from "../../../../domain/schedules/steps/counted-at.ts";
import { firstJudgeTime } from "../../../../domain/schedules/steps/first-judge-time.ts";
import type { Run } from "../../../../domain/schedules/run.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type {
  MadeMessage,
  RunMessage,
  ScheduleChange,
  Step,
} from "../../../../domain/schedules/steps.ts";
import { settled } from "../../../../domain/schedules/steps/settled.ts";
import { replaced, superseded } from "../../../../domain/transitions.ts";
import { monthOf } from "../../../../domain/usage.ts";
import { parseMessageId } from "../../../../platform/message-ids.ts";
import type { StepTally } from "../../../step-tally.ts";
import type { KeptRun } from "../../tables/run-table.ts";
import type { StoredSchedule } from "../../tables/schedule-table.ts";
import type { Context } from "../context.ts";
import { insertMessage } from "../insert-message.ts";
import type { Moment, Owner } from "../insert-message.ts";
import { scheduleTeller } from "./tell-schedule.ts";
import type { ToldStep } from "./tell-schedule.ts";
import { endMessage } from "./end-message.ts";

/** A schedule in its row, or one that gets its row by its first step. */
export interface SteppingSchedule extends ToldStep {
  /** Writes the schedule after the step. Answers with its key. */
  readonly keep: (schedule: Schedule) => number;
}

/** Of schedules that have their rows. */
export function steppingIn({ schedules }: Pick<Context, "schedules">) {
  return (stored: StoredSchedule, change?: ScheduleChange["kind"]): SteppingSchedule => ({
    accountKey: stored.accountKey,
    before: stored.schedule,
    ...(change !== undefined && { change }),
    keep(schedule) {
      schedules.update(stored, schedule);
      return stored.scheduleKey;
    },
  });
}

export interface TakenStep {
  readonly schedule: Schedule;
  readonly runs: readonly Run[];
}

/** Does in the database what the domain has decided for a schedule. */
export function takeStep(context: Context) {
  const { targets, runs, movedRuns, retentionMs } = context;
  const insert = insertMessage(context);
  const end = endMessage(context);
  const tell = scheduleTeller(context);

  function make(wanted: RunMessage, targetId: string, owner: Owner, now: Instant) {
    const { payload, options, deliveryTime, counts } = wanted;
    const month = counts ? monthOf(countedAt(wanted, now)) : null;
    // Undefined only for a message with a key, which messages of schedules never have.
    return insert({ targetId, payload, options }, owner, deliveryTime, { now, month })!;
  }

  return (
    stepping: SteppingSchedule,
    step: Step,
    { now }: Pick<Moment, "now">,
    tally: StepTally,
  ): TakenStep => {
    const { accountKey, keep } = stepping;
    for (const messageId of step.cancelledMessageIds) end(messageId, now);
    for (const messageId of step.supersededMessageIds) end(messageId, now, superseded);
    const { accountId, targetId } = step.schedule;
    const made: MadeMessage[] = [];
    const messageOf = new Map<Instant, TrackedMessage>();
    if (step.messages.length > 0) {
      const owner = { accountKey, targetKey: targets.keyOf(accountKey, targetId)! };
      for (const wanted of step.messages) {
        const result = make(wanted, targetId, owner, now);
        if (result.kind === "scheduled") {
          made.push({ kind: "made", messageId: result.message.messageId });
          messageOf.set(wanted.runTime, result.message);
          const dueAt = result.message.nextDeliveryTime!;
          tally.add({ accountId, targetKey: owner.targetKey, dueAt }, result.message);
        } else made.push(result);
      }
    }
    const after = settled(step, made);
    if (after.replacedMessageId !== null) end(after.replacedMessageId, now, replaced);
    const scheduleKey = keep(after.schedule);
    for (const runTime of step.undoneRunTimes) runs.remove(scheduleKey, runTime);
    for (const run of after.runs) {
      tally.runs[run.outcome]++;
      runs.put(scheduleKey, keptRun(run, messageOf.get(run.runTime), after.schedule, now));
    }
    if (after.hasTooManyUnmade) runs.keepLatestUnmade(scheduleKey, mostOnRecord);
    for (const { insteadOf, runTime, options } of step.messages) {
      const message = messageOf.get(runTime);
      if (insteadOf === undefined || message === undefined) continue;
      movedRuns.add(parseMessageId(message.messageId)!.sequence, options.schedule!);
    }
    tell.ofStep(stepping, after, now);
    return after;
  };

  /** A row stays for the retention after it was decided and its message was due. */
  function keptRun(
    run: Run,
    message: TrackedMessage | undefined,
    schedule: Schedule,
    now: Instant,
  ): KeptRun {
    const dueAt = message?.nextDeliveryTime ?? run.runTime;
    return {
      ...run,
      judgeTime: firstJudgeTime(run, schedule, dueAt),
      expirationTime: Math.max(now, dueAt) + retentionMs,
    };
  }
}
