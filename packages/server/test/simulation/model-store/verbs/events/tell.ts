import type { Attempt } from "../../../../../src/domain/attempt.ts";
import { healthMask } from "../../../../../src/domain/events/event-types.ts";
import type { EventFacts } from "../../../../../src/domain/events/event.ts";
import {
  messageEvents,
  replacedInPlaceEvent,
  stepsOf,
} from "../../../../../src/domain/events/message-events.ts";
import {
  healthEvent,
  jobChangeType,
  jobEvent,
  runEvent,
  scheduleChangeTypes,
  scheduleEvent,
  targetEvent,
} from "../../../../../src/domain/events/other-events.ts";
import { defaultFailingAfter } from "../../../../../src/domain/failing-after.ts";
import { afterAttempt, isSuccessful } from "../../../../../src/domain/events/target-health.ts";
import type { Job } from "../../../../../src/domain/job.ts";
import type { TrackedMessage } from "../../../../../src/domain/message.ts";
import type { Run } from "../../../../../src/domain/schedules/run.ts";
import type { Schedule } from "../../../../../src/domain/schedules/schedule.ts";
import type { ScheduleChange } from "../../../../../src/domain/schedules/steps.ts";
import type { Target } from "../../../../../src/domain/target.ts";
import type { ChangeDecision } from "../../../../../src/domain/transitions.ts";
import type { Context } from "../../database-state.ts";
import type { StoredMessage } from "../../message-table.ts";

/** What is not wanted is left out when it is written. */
const everyType = -1;

/** Writes what happened into the log of the account, if somebody is told about it. */
export function teller({ state, node }: Pick<Context, "state" | "node">) {
  const { clock, rules, events, targets } = state;

  function write(accountId: string, facts: () => readonly EventFacts[]): void {
    if (events.endpoints().length === 0) return;
    for (const each of facts()) {
      if (!events.isWanted(accountId, each)) continue;
      rules.writeEvent(node.nodeId, () => events.write(accountId, each));
    }
  }

  return {
    scheduled({ accountId, message }: StoredMessage): void {
      const step = { before: null, after: message, attempt: null };
      write(accountId, () => messageEvents([step], everyType, message.schedulingTime));
    },

    /** `stored` is the message after the change. */
    changed(
      { accountId, message }: StoredMessage,
      before: TrackedMessage,
      attempt: Attempt | null = null,
      answers: readonly { readonly decision: ChangeDecision }[] = [],
    ): void {
      write(accountId, () => {
        const decisions = answers.map(({ decision }) => decision);
        const steps = stepsOf(before, message, attempt, decisions);
        return messageEvents(steps, everyType, clock.now());
      });
    },

    replacedInPlace({ accountId, message }: StoredMessage): void {
      write(accountId, () => [replacedInPlaceEvent(message, clock.now())]);
    },

    attempted({ accountId, targetKey, message }: StoredMessage, { outcome }: Attempt): void {
      const kept = targets.liveByKey(targetKey);
      const isTold = (events.maskOf(accountId, message.targetId) & healthMask) !== 0;
      const isSuccess = isSuccessful(outcome);
      if (kept === undefined || !isTold || isSuccess === null) return;
      const { target } = kept;
      const now = clock.now();
      const { health, event } = afterAttempt(
        events.healthOf(targetKey),
        isSuccess,
        now,
        target.failingAfter ?? defaultFailingAfter,
      );
      events.setHealth(targetKey, health);
      if (event !== null) write(accountId, () => [healthEvent(event, target, now)]);
    },

    target(type: Parameters<typeof targetEvent>[0], target: Target): void {
      write(target.accountId, () => [targetEvent(type, target, clock.now())]);
    },

    /** `before`: null for the first step. */
    schedule(
      before: Schedule | null,
      after: Schedule,
      runs: readonly Run[],
      change?: ScheduleChange["kind"],
    ): void {
      const now = clock.now();
      const types = scheduleChangeTypes(before, after, change);
      write(after.accountId, () => [
        ...types.map((type) => scheduleEvent(type, after, now)),
        ...runs.map((run) => runEvent(after, run, now)),
      ]);
    },

    scheduleRemoved(schedule: Schedule): void {
      write(schedule.accountId, () => [scheduleEvent("schedule.removed", schedule, clock.now())]);
    },

    jobStarted(job: Job): void {
      write(job.accountId, () => [jobEvent("job.started", job, clock.now())]);
    },

    job(before: Job, after: Job): void {
      const type = jobChangeType(before, after);
      if (type !== undefined) write(after.accountId, () => [jobEvent(type, after, clock.now())]);
    },

    write,
  };
}
