import type { Instant, TrackedMessage } from "../../../../domain/message.ts";
import { mostOnRecord } from "../../../../domain/schedules/limits.ts";
import { firstJudgeTime } from "../../../../domain/schedules/steps/first-judge-time.ts";
import type { Run as RunOfSchedule } from "../../../../domain/schedules/run.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { Run } from "../../connections/connections.ts";
import { arrayLiteral } from "../../rows/array-literal.ts";
import { arraysOf, namesOf, unnest } from "../../rows/given-columns.ts";
import { packTexts } from "../../rows/packed-texts.ts";
import { runColumns, stateText } from "../../rows/schedule-rows.ts";
import type { WrittenRun } from "../../rows/schedule-rows.ts";
import { tellSteps } from "./tell-steps.ts";
import type { StepOccasion } from "./tell-steps.ts";

export interface MadeRunMessage {
  readonly targetKey: number;
  readonly message: TrackedMessage;
}

/** What a step has made of a schedule. */
export interface TakenStep {
  readonly key: number;
  readonly before: Schedule;
  readonly schedule: Schedule;
  readonly undoneRunTimes: readonly Instant[];
  readonly runs: readonly TakenRun[];
  /** What a caller asked for, if one did. */
  readonly occasion?: StepOccasion | undefined;
  /** Whether only the latest runs without a message are to stay. */
  readonly hasTooManyUnmade: boolean;
}

export interface TakenRun {
  readonly run: RunOfSchedule;
  /** The message that was made for it. */
  readonly made: MadeRunMessage | undefined;
}

export interface WriteTime {
  readonly now: Instant;
  readonly retentionMs: number;
}

const firstRunParameter = 7;
const replacedColumns = Object.keys(runColumns).slice(2);

const writeStatement = `
  WITH noted AS (
    INSERT INTO schedule_runs (${namesOf(runColumns)})
    SELECT * FROM ${unnest(runColumns, "r", firstRunParameter)}
    ON CONFLICT (schedule_key, run_time) DO UPDATE
      SET ${replacedColumns.map((column) => `${column} = excluded.${column}`).join(", ")}
  ), written AS (
    UPDATE schedule_states h
    SET look_time = u.look_time, schedule = convert_from(substr($1::bytea, u.start, u.length), 'UTF8')
    FROM unnest($2::bigint[], $3::bigint[], $4::int[], $5::int[])
      AS u(schedule_key, look_time, start, length)
    WHERE h.schedule_key = u.schedule_key
  )
  SELECT coalesce(bit_or(event_mask), 0) AS event_mask FROM account_events WHERE account_id = ANY ($6::text[])`;

/** The schedules are locked. */
export async function writeSteps(
  run: Run,
  steps: readonly TakenStep[],
  time: WriteTime,
): Promise<void> {
  if (steps.length === 0) return;
  await removeUndone(run, steps);
  await updateSchedules(run, steps);
  const texts = packTexts(steps.map(({ schedule }) => stateText(schedule)));
  const [told] = await run({
    name: "write-schedule-steps",
    text: writeStatement,
    values: [
      texts.bytes,
      arrayLiteral(steps.map(({ key }) => key)),
      arrayLiteral(steps.map(({ schedule }) => schedule.progress.lookTime)),
      arrayLiteral(texts.starts),
      arrayLiteral(texts.lengths),
      [...new Set(steps.map(({ schedule }) => schedule.accountId))],
      ...arraysOf(
        runColumns,
        steps.flatMap((step) => writtenRuns(step, time)),
      ),
    ],
  });
  await removeUnmade(run, steps);
  await tellSteps(run, steps, { mask: told!["event_mask"], now: time.now });
}

/** A separate statement sees what was just written. */
async function removeUnmade(run: Run, steps: readonly TakenStep[]): Promise<void> {
  const keys = steps.filter(({ hasTooManyUnmade }) => hasTooManyUnmade).map(({ key }) => key);
  if (keys.length === 0) return;
  await run({
    name: "remove-unmade-runs",
    text: `DELETE FROM schedule_runs r
      USING unnest($1::bigint[]) AS u(schedule_key) CROSS JOIN LATERAL (
        SELECT run_time FROM schedule_runs s
        WHERE s.schedule_key = u.schedule_key AND s.message_id IS NULL
        ORDER BY s.schedule_key DESC, s.run_time DESC OFFSET $2 LIMIT 1) AS last
      WHERE r.schedule_key = u.schedule_key AND r.message_id IS NULL AND r.run_time <= last.run_time`,
    values: [keys, mostOnRecord],
  });
}

function writtenRuns(
  { key, schedule, runs }: TakenStep,
  { now, retentionMs }: WriteTime,
): WrittenRun[] {
  // One statement writes a row once. What a step says last about a run time counts.
  const byTime = new Map(runs.map((each) => [each.run.runTime, each]));
  return [...byTime.values()].map(({ run, made }) => {
    const dueAt = made?.message.nextDeliveryTime ?? run.runTime;
    return {
      scheduleKey: key,
      run,
      judgeTime: firstJudgeTime(run, schedule, dueAt),
      // A row stays for the retention after it was decided and its message was due.
      expirationTime: Math.max(now, dueAt) + retentionMs,
    };
  });
}

/** A row that is written again is not removed: one statement cannot do both. */
async function removeUndone(run: Run, steps: readonly TakenStep[]): Promise<void> {
  const undone = steps.flatMap(({ key, undoneRunTimes, runs }) => {
    const written = new Set(runs.map(({ run: { runTime } }) => runTime));
    const gone = undoneRunTimes.filter((runTime) => !written.has(runTime));
    return gone.map((runTime) => ({ key, runTime }));
  });
  if (undone.length === 0) return;
  await run({
    name: "remove-undone-runs",
    text: `DELETE FROM schedule_runs r
      USING unnest($1::bigint[], $2::bigint[]) AS u(schedule_key, run_time)
      WHERE r.schedule_key = u.schedule_key AND r.run_time = u.run_time`,
    values: [
      arrayLiteral(undone.map(({ key }) => key)),
      arrayLiteral(undone.map(({ runTime }) => runTime)),
    ],
  });
}

/** Most steps change nothing by which callers find the schedule. */
async function updateSchedules(run: Run, steps: readonly TakenStep[]): Promise<void> {
  const changed = steps.filter(
    ({ before, schedule }) =>
      before.targetId !== schedule.targetId ||
      before.payload !== schedule.payload ||
      (before.pause === null) !== (schedule.pause === null),
  );
  if (changed.length === 0) return;
  await run({
    name: "update-schedules",
    text: `UPDATE schedules s SET target_id = u.target_id, paused = u.paused,
        payload = coalesce(u.payload, s.payload)
      FROM unnest($1::bigint[], $2::text[], $3::boolean[], $4::bytea[])
        AS u(schedule_key, target_id, paused, payload)
      WHERE s.schedule_key = u.schedule_key`,
    values: [
      changed.map(({ key }) => key),
      changed.map(({ schedule }) => schedule.targetId),
      changed.map(({ schedule }) => schedule.pause !== null),
      // One that stays may not have been read.
      changed.map(({ before, schedule }) =>
        before.payload === schedule.payload ? null : Buffer.from(schedule.payload),
      ),
    ],
  });
}
