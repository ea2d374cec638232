import {
  backfilledSchedule,
  isForSchedule,
  placeAt,
  spanLeft,
} from "../../../../domain/schedules/steps/backfill-job.ts";
import type { Job, JobCursor } from "../../../../domain/job.ts";
import type { Instant } from "../../../../domain/message.ts";
import { backfilled, timesToBackfill } from "../../../../domain/schedules/steps/backfilled.ts";
import type { JobTally } from "../../../job-tally.ts";
import { StepTally } from "../../../step-tally.ts";
import type { BackfillLook, BackfillLookRequest } from "../../../store.ts";
import type { StoredSchedule } from "../../tables/schedule-table.ts";
import type { Context } from "../context.ts";
import { momentOf } from "../insert-message.ts";
import { steppingIn, takeStep } from "../schedules/take-step.ts";

/** Whether the row of a run time says that a run was created. */
function createdRuns({ runs }: Context) {
  return ({ scheduleKey }: StoredSchedule, now: Instant) =>
    (runTime: Instant): boolean =>
      runs.isCreated(scheduleKey, runTime, now);
}

/** Makes runs of times that are past. */
export function backfillRuns(context: Context) {
  const { schedules, timeZones } = context;
  const take = takeStep(context);
  const stepping = steppingIn(context);
  const createdOf = createdRuns(context);

  return {
    /** Undefined: it was removed since the job was created. */
    scheduleOf(job: Job): StoredSchedule | undefined {
      const stored = schedules.find(backfilledSchedule(job));
      return isForSchedule(job, stored?.schedule) ? stored : undefined;
    },

    /** Answers with the place up to which it has looked; null: there is nothing behind it. */
    make(stored: StoredSchedule, job: Job, limit: number, tally: JobTally): JobCursor | null {
      const moment = momentOf(context);
      const { now } = moment;
      const times = timesToBackfill(stored.schedule, spanLeft(job), now, timeZones);
      const isCreated = createdOf(stored, now);
      const { step, lookedUntil } = backfilled(stored.schedule, times, isCreated, { limit, now });
      const steps = new StepTally();
      if (step.messages.length > 0) take(stepping(stored), step, moment, steps);
      tally.countRuns(steps);
      return placeAt(lookedUntil);
    },
  };
}

export function lookForBackfill(context: Context) {
  const { clock, schedules, timeZones } = context;
  const createdOf = createdRuns(context);
  return (request: BackfillLookRequest): BackfillLook | undefined => {
    const stored = schedules.find(request);
    if (stored === undefined) return undefined;
    const now = clock.now();
    const { runTimes, lookedUntil } = timesToBackfill(stored.schedule, request, now, timeZones);
    const isCreated = createdOf(stored, now);
    const open = runTimes.filter((time) => !isCreated(time));
    return { count: open.length, sample: open.slice(0, request.sample), lookedUntil };
  };
}
