import type { ScheduleEventType } from "../../../../domain/events/event-types.ts";
import {
  runEvent,
  runEventType,
  scheduleChangeTypes,
  scheduleEvent,
} from "../../../../domain/events/other-events.ts";
import type { Instant } from "../../../../domain/instant.ts";
import type { Run } from "../../../../domain/schedules/run.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { Context } from "../context.ts";
import type { ScheduleChange } from "../../../../domain/schedules/steps.ts";

/** Whose step it is. */
export interface ToldStep {
  readonly accountKey: number;
  /** Null: the schedule gets its row by this step. */
  readonly before: Schedule | null;
  /** What a caller has asked for, if one did. */
  readonly change?: ScheduleChange["kind"];
}

/** Writes the events of schedules. */
export function scheduleTeller({ events }: Pick<Context, "events">) {
  function of(accountKey: number, type: ScheduleEventType, schedule: Schedule, now: Instant): void {
    const { targetId } = schedule;
    events.tell(accountKey, { type, targetId }, () => scheduleEvent(type, schedule, now));
  }

  return {
    of,

    ofStep(
      { accountKey, before, change }: ToldStep,
      { schedule, runs }: { readonly schedule: Schedule; readonly runs: readonly Run[] },
      now: Instant,
    ): void {
      if (!events.isOn) return;
      for (const type of scheduleChangeTypes(before, schedule, change)) {
        of(accountKey, type, schedule, now);
      }
      const { targetId } = schedule;
      for (const run of runs) {
        events.tell(accountKey, { type: runEventType(run), targetId }, () =>
          runEvent(schedule, run, now),
        );
      }
    },
  };
}
