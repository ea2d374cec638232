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
import type { BackfillLook, BackfillLookRequest } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { outcomeNumber, readSchedule } from "../../rows/schedule-rows.ts";
import type { ScheduleRow } from "../../rows/schedule-rows.ts";
import type { Context } from "../context.ts";
import { lockSchedule } from "../schedules/lock-schedule.ts";
import { makeForOne } from "../schedules/make-run-messages.ts";
import { isAccountLive } from "../schedules/read-schedules.ts";
import { takeSteps, tallyOf } from "../schedules/take-steps.ts";

/**
 * Makes runs of times that are past, in the transaction of a step of their job. After the job it takes its locks in the
 * order of all that concerns schedules. Answers with the place up to which it has looked, null if there is nothing
 * behind it; undefined: the schedule was removed since the job was created.
 */
export async function backfillRuns(
  run: Run,
  context: Pick<Context, "ids" | "retentionMs" | "timeZones">,
  job: Job,
  { limit, tally }: { readonly limit: number; readonly tally: JobTally },
): Promise<JobCursor | null | undefined> {
  const stored = await lockSchedule(run, backfilledSchedule(job));
  if (stored === undefined || !isForSchedule(job, stored.schedule)) return undefined;
  const { key, schedule, now } = stored;
  const times = timesToBackfill(schedule, spanLeft(job), now, context.timeZones);
  const created = await createdAmong(run, key, times.runTimes);
  const isCreated = (time: Instant): boolean => created.has(time);
  const { step, lookedUntil } = backfilled(schedule, times, isCreated, { limit, now });
  if (step.messages.length > 0) {
    const decided = [{ key, before: schedule, step, locked: [] }];
    const make = makeForOne(context, job.accountId);
    tally.countRuns(tallyOf(await takeSteps(run, context, decided, { now, make })));
  }
  return placeAt(lookedUntil);
}

export function lookForBackfill({ connections, timeZones }: Context) {
  return async (request: BackfillLookRequest): Promise<BackfillLook | undefined> => {
    const { accountId, scheduleId, sample } = request;
    const run: Run = (query) => connections.query(query, accountId);
    const [row] = await run({
      name: "look-at-schedule",
      text: `SELECT s.schedule_key, s.account_id, s.schedule_id, s.payload, h.look_time, h.schedule,
          now_ms() AS now
        FROM schedules s JOIN schedule_states h ON h.schedule_key = s.schedule_key
        WHERE s.account_id = $1 AND s.schedule_id = $2 AND ${isAccountLive}`,
      values: [accountId, scheduleId],
    });
    if (row === undefined) return undefined;
    const schedule = readSchedule(row as ScheduleRow);
    const { runTimes, lookedUntil } = timesToBackfill(schedule, request, row["now"], timeZones);
    const created = await createdAmong(run, row["schedule_key"], runTimes);
    const open = runTimes.filter((time) => !created.has(time));
    return { count: open.length, sample: open.slice(0, sample), lookedUntil };
  };
}

/** Those of the run times whose rows say that a run was created. */
async function createdAmong(
  run: Run,
  scheduleKey: number,
  runTimes: readonly Instant[],
): Promise<ReadonlySet<Instant>> {
  if (runTimes.length === 0) return new Set();
  const rows = await run({
    name: "find-created-runs",
    // LATERAL with a limit looks up each run time, however many rows the schedule has.
    text: `SELECT r.run_time FROM unnest($2::bigint[]) AS u(run_time)
      CROSS JOIN LATERAL (
        SELECT run_time, outcome, expiration_time FROM schedule_runs
        WHERE schedule_runs.schedule_key = $1 AND schedule_runs.run_time = u.run_time LIMIT 1) AS r
      WHERE r.outcome = ${outcomeNumber("CREATED")} AND r.expiration_time > (SELECT now_ms())`,
    values: [scheduleKey, runTimes],
  });
  return new Set(rows.map((row) => row["run_time"] as Instant));
}
