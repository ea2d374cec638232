import {
  backfilledSchedule,
  isForSchedule,
  placeAt,
  spanLeft,
} from "../../../../../src/domain/schedules/steps/backfill-job.ts";
import type { Job, JobCursor } from "../../../../../src/domain/job.ts";
import type { Instant } from "../../../../../src/domain/message.ts";
import { backfilled } from "../../../../../src/domain/schedules/steps/backfilled.ts";
import type { JobTally } from "../../../../../src/storage/job-tally.ts";
import { StepTally } from "../../../../../src/storage/step-tally.ts";
import type { BackfillLook, BackfillLookRequest } from "../../../../../src/storage/store.ts";
import type { Context } from "../../database-state.ts";
import { runsOf } from "../../schedule-table.ts";
import type { KeptSchedule } from "../../schedule-table.ts";
import { takeStep } from "../schedules/take-step.ts";

function createdRuns(kept: KeptSchedule, now: Instant): (runTime: Instant) => boolean {
  const created = runsOf(kept, now).filter(({ outcome }) => outcome === "CREATED");
  const times = new Set(created.map(({ runTime }) => runTime));
  return (runTime) => times.has(runTime);
}

export function backfillRuns(context: Context) {
  const { state, node } = context;
  const { clock, rules, schedules } = state;
  const take = takeStep(context);

  return {
    /** Undefined: it was removed since the job was created. */
    scheduleOf(job: Job): KeptSchedule | undefined {
      const kept = schedules.find(backfilledSchedule(job));
      return isForSchedule(job, kept?.schedule) ? kept : undefined;
    },

    make(kept: KeptSchedule, job: Job, limit: number, tally: JobTally): JobCursor | null {
      const now = clock.now();
      const { schedule } = kept;
      const times = rules.timesToBackfill(schedule, spanLeft(job), now, node.timeZones);
      const isCreated = createdRuns(kept, now);
      const { step, lookedUntil } = backfilled(schedule, times, isCreated, { limit, now });
      const steps = new StepTally();
      if (step.messages.length > 0) take(kept, step, now, steps);
      tally.countRuns(steps);
      return placeAt(lookedUntil);
    },
  };
}

export function lookForBackfill({ state, node }: Context) {
  const { clock, rules, schedules } = state;
  return (request: BackfillLookRequest): BackfillLook | undefined => {
    const kept = schedules.find(request);
    if (kept === undefined) return undefined;
    const now = clock.now();
    const times = rules.timesToBackfill(kept.schedule, request, now, node.timeZones);
    const isCreated = createdRuns(kept, now);
    const open = times.runTimes.filter((time) => !isCreated(time));
    const { lookedUntil } = times;
    return { count: open.length, sample: open.slice(0, request.sample), lookedUntil };
  };
}
