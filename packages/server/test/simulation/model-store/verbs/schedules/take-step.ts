import type { Instant } from "../../../../../src/domain/message.ts";
import type { Run } from "../../../../../src/domain/schedules/run.ts";
import type {
  MadeMessage,
  ScheduleChange,
  SettledStep,
  Step,
} from "../../../../../src/domain/schedules/steps.ts";
import { countedAt } from "../../../../../src/domain/schedules/steps/counted-at.ts";
import { firstJudgeTime } from "../../../../../src/domain/schedules/steps/first-judge-time.ts";
import { settled } from "../../../../../src/domain/schedules/steps/settled.ts";
import { cancelled, replaced, superseded } from "../../../../../src/domain/transitions.ts";
import { monthOf } from "../../../../../src/domain/usage.ts";
import type { StepTally } from "../../../../../src/storage/step-tally.ts";
import { liveAccount } from "../../database-state.ts";
import type { Context } from "../../database-state.ts";
import type { KeptRun, KeptSchedule } from "../../schedule-table.ts";
import { teller } from "../events/tell.ts";
import { insertMessage } from "../insert-message.ts";

/** Does in the database what the domain has decided for a schedule. */
export function takeStep(context: Context) {
  const { state, node } = context;
  const { rules, messages, targets, usage, scheduleJournal } = state;
  const insert = insertMessage(context);
  const tell = teller(context);

  function end(messageId: string, now: Instant, ending: typeof cancelled = cancelled): void {
    const stored = messages.get(messageId)!;
    const ended = ending(stored.message, now, node.retentionMs);
    if (ended === undefined) throw new Error("a message that is taken back must be scheduled");
    const before = stored.message;
    messages.update(stored, ended);
    tell.changed(stored, before);
  }

  function make(step: Step, now: Instant, tally: StepTally): MadeMessage[] {
    const { accountId, targetId } = step.schedule;
    if (step.messages.length === 0) return [];
    const account = liveAccount(state, accountId)!;
    const { targetKey } = targets.live({ accountId, targetId })!.target;
    return step.messages.map((wanted) => {
      const { payload, options, deliveryTime, counts } = wanted;
      const admit = () => !counts || usage.admit(account, monthOf(countedAt(wanted, now)));
      const content = { accountId, targetId, payload, options };
      const inserted = insert(content, targetKey, deliveryTime, { now, admit });
      if (inserted.kind !== "scheduled") return inserted;
      const { message } = inserted;
      tally.add({ accountId, targetKey, dueAt: message.nextDeliveryTime! }, message);
      return { kind: "made", messageId: message.messageId };
    });
  }

  /** A row stays for the retention after it was decided and its message was due. */
  function keptRun(run: Run, { schedule }: SettledStep, now: Instant): KeptRun {
    const message = run.messageId === null ? undefined : messages.get(run.messageId)?.message;
    const dueAt = message?.nextDeliveryTime ?? run.runTime;
    return {
      ...run,
      expirationTime: Math.max(now, dueAt) + node.retentionMs,
      judgeTime: firstJudgeTime(run, schedule, dueAt),
    };
  }

  /** `change`: what made the step, if that was not time. */
  return (
    kept: KeptSchedule,
    step: Step,
    now: Instant,
    tally: StepTally,
    change?: ScheduleChange["kind"] | "create",
  ): SettledStep => {
    for (const messageId of step.cancelledMessageIds) end(messageId, now);
    for (const messageId of step.supersededMessageIds) end(messageId, now, superseded);
    const after = settled(step, make(step, now, tally));
    if (after.replacedMessageId !== null) end(after.replacedMessageId, now, replaced);
    const { scheduleKey, schedule: before } = kept;
    const { runs } = after;
    scheduleJournal.push({
      ...{ kind: "runs", scheduleKey, at: now, runs, undone: step.undoneRunTimes },
    });
    for (const runTime of step.undoneRunTimes) kept.runs.delete(runTime);
    for (const run of runs) {
      tally.runs[run.outcome]++;
      kept.runs.set(run.runTime, keptRun(run, after, now));
    }
    if (after.hasTooManyUnmade) rules.removeUnmade(kept);
    kept.schedule = after.schedule;
    if (change === "create") tell.schedule(null, after.schedule, runs);
    else tell.schedule(before, after.schedule, runs, change);
    rules.stepTaken(node.nodeId, () => {
      if (kept.schedule === after.schedule) kept.schedule = before;
    });
    return after;
  };
}
