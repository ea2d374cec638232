import type { Instant } from "../../../../domain/instant.ts";
import type { Overlap, Schedule } from "../../../../domain/schedules/schedule.ts";
import type { Surroundings } from "../../../../domain/schedules/steps.ts";
import type { ScheduleRef } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { enterAccount } from "../../quotas/account-gate.ts";
import { readRun, readSchedule } from "../../rows/schedule-rows.ts";
import type { ScheduleRow } from "../../rows/schedule-rows.ts";
import { findFirmRun } from "./find-firm-run.ts";
import { lockOpenRuns } from "./lock-open-runs.ts";
import { seeEarlier } from "./see-earlier.ts";
import type { LockedMessage } from "./see-earlier.ts";

/** A schedule that nobody else changes until the commit. */
export interface LockedSchedule {
  readonly key: number;
  readonly schedule: Schedule;
  readonly now: Instant;
}

/** Waits for a step or a change that is under way. Undefined: there is no such schedule. */
export async function lockSchedule(
  run: Run,
  { accountId, scheduleId }: ScheduleRef,
): Promise<LockedSchedule | undefined> {
  if (!(await enterAccount(run, accountId))) return undefined;
  const [row] = await run({
    name: "lock-schedule",
    text: `SELECT schedule_key, look_time, schedule FROM schedule_states WHERE schedule_key = (
        SELECT schedule_key FROM schedules WHERE account_id = $1 AND schedule_id = $2)
      FOR UPDATE`,
    values: [accountId, scheduleId],
  });
  if (row === undefined) return undefined;
  const key = row["schedule_key"] as number;
  // A separate statement sees what the change has made of it that this one waited for.
  const [details] = await run({
    name: "read-locked-schedule",
    text: "SELECT account_id, schedule_id, payload, now_ms() AS now FROM schedules WHERE schedule_key = $1",
    values: [key],
  });
  return {
    key,
    schedule: readSchedule({ ...row, ...details } as ScheduleRow),
    now: details!["now"],
  };
}

export interface LockedSurroundings {
  readonly surroundings: Surroundings;
  /** The messages that the step may end. */
  readonly locked: readonly LockedMessage[];
}

/** What a caller's change must know. `overlap`: that of the schedule after the change. */
export async function lockSurroundings(
  run: Run,
  { key, schedule, now }: LockedSchedule,
  overlap: Overlap,
): Promise<LockedSurroundings> {
  const openRuns = await lockOpenRuns(run, { key, schedule, now });
  const firm = await findFirmRun(run, key, schedule, openRuns);
  const asking = [schedule.progress.earlierMessageId, ...(firm ? [firm.messageId] : [])].map(
    (earlierMessageId) => ({
      ...{ ...schedule, overlap, progress: { ...schedule.progress, earlierMessageId } },
    }),
  );
  const [earlier, before] = asking.map(await seeEarlier(run, asking));
  const rows = await run({
    name: "read-recorded-runs",
    text: `SELECT * FROM (
        (SELECT run_time, trigger, outcome, reason, message_id FROM schedule_runs
          WHERE schedule_key = $1 AND run_time <= $2 AND expiration_time > $2
          ORDER BY schedule_key DESC, run_time DESC LIMIT 1)
        UNION ALL
        SELECT run_time, trigger, outcome, reason, message_id FROM schedule_runs
          WHERE schedule_key = $1 AND run_time > $2) AS r`,
    values: [key, now],
  });
  const recordedRuns = rows.map(readRun).toSorted((a, b) => a.runTime - b.runTime);
  return {
    surroundings: {
      ...{ now, openRuns, recordedRuns, earlier: earlier!.state },
      ...(firm && { firmRun: { ...firm, state: before!.state } }),
    },
    locked: [
      ...openRuns.map(({ locked }) => locked),
      ...[earlier, before].flatMap((each) => each?.locked ?? []),
    ],
  };
}
