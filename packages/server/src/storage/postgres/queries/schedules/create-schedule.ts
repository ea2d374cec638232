import type { AuditNote } from "../../../../domain/audit.ts";
import { mostSchedules } from "../../../../domain/schedules/limits.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import { advanced } from "../../../../domain/schedules/steps/advanced.ts";
import { createdSchedule } from "../../../../domain/schedules/steps/created-schedule.ts";
import type { TimeZones } from "../../../../domain/time-zones/time-zones.ts";
import { WatchedTimeZones } from "../../../../domain/time-zones/watched-time-zones.ts";
import type { CreateScheduleResult, NewSchedule } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { enterAccount } from "../../quotas/account-gate.ts";
import { stateText } from "../../rows/schedule-rows.ts";
import { writeNotes } from "../audit-entries.ts";
import type { Context } from "../context.ts";
import { lockTargets } from "../lock-targets.ts";
import { readClock } from "../read-clock.ts";
import { countSchedules } from "./count-schedules.ts";
import { makeForOne } from "./make-run-messages.ts";
import { ensureNewest, notNewest } from "./may-advance.ts";
import { takeSteps, tallyOf } from "./take-steps.ts";
import { viewSchedules } from "./view-schedules.ts";

/** Undo what was made of a schedule that is refused after all. */
const exists = new Error("there is a schedule with this id");
const tooMany = new Error("the account has too many schedules");

export function createSchedule(context: Context) {
  const { connections } = context;
  return async (order: NewSchedule, note: AuditNote): Promise<CreateScheduleResult> => {
    const { accountId, definition } = order;
    try {
      return await connections.transaction(async (run) => {
        const zones = new WatchedTimeZones(context.timeZones);
        const result = await createNow(run, zones);
        await ensureNewest(run, zones, context);
        return result;
      }, accountId);
    } catch (error) {
      if (error === exists) return { kind: "exists" };
      if (error === tooMany) return { kind: "too-many" };
      if (error === notNewest) return { kind: "older-time-zones" };
      throw error;
    }

    async function createNow(run: Run, timeZones: TimeZones): Promise<CreateScheduleResult> {
      if (!(await enterAccount(run, accountId))) return { kind: "no-target" };
      const seen = await seeSchedules(run, order);
      if (seen.isThere) return { kind: "exists" };
      // Whoever removes the target waits until the schedule is there.
      const targets = await lockTargets(run, accountId, [definition.targetId]);
      if (targets.size === 0) return { kind: "no-target" };
      if (seen.count >= mostSchedules) return { kind: "too-many" };
      const now = await readClock(run);
      const begun = createdSchedule(order, definition, now, timeZones);
      if (begun === undefined) return { kind: "no-occurrence" };
      const nothing = { now, openRuns: [], recordedRuns: [] };
      const step = advanced(begun, { ...nothing, earlier: "ended" }, timeZones);
      const key = await insertSchedule(run, begun);
      const decided = { key, before: begun, step, locked: [], occasion: "creation" } as const;
      const make = makeForOne(context, accountId);
      const taken = await takeSteps(run, context, [decided], { now, make });
      await writeNotes(run, [note]);
      const [view] = await viewSchedules(run, [taken[0]!.schedule]);
      if ((await countSchedules(run, accountId, 1)) > mostSchedules) throw tooMany;
      const { planned, nextBound } = tallyOf(taken);
      return { kind: "created", schedule: view!, planned, nextBound };
    }
  };
}

/** Without a lock: whether there is such a schedule, and how many the account has. */
async function seeSchedules(
  run: Run,
  { accountId, scheduleId }: NewSchedule,
): Promise<{ readonly isThere: boolean; readonly count: number }> {
  const [row] = await run({
    name: "see-schedules",
    text: `SELECT EXISTS (SELECT 1 FROM schedules WHERE account_id = $1 AND schedule_id = $2) AS is_there,
      coalesce((SELECT count FROM schedule_counts WHERE account_id = $1), 0) AS count`,
    values: [accountId, scheduleId],
  });
  return { isThere: row!["is_there"], count: row!["count"] };
}

/** Waits for another call that creates or removes a schedule with this id. */
async function insertSchedule(run: Run, schedule: Schedule): Promise<number> {
  const { accountId, scheduleId, targetId, payload, pause, progress } = schedule;
  const [row] = await run({
    name: "create-schedule",
    text: `
      WITH made AS (
        INSERT INTO schedules (account_id, schedule_id, target_id, paused, payload)
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account_id, schedule_id) DO NOTHING
        RETURNING schedule_key
      )
      INSERT INTO schedule_states (schedule_key, account_id, look_time, schedule)
      SELECT schedule_key, $1, $6::bigint, $7::text FROM made RETURNING schedule_key`,
    values: [
      ...[accountId, scheduleId, targetId, pause !== null, Buffer.from(payload)],
      ...[progress.lookTime, stateText(schedule)],
    ],
  });
  if (row === undefined) throw exists;
  return row["schedule_key"] as number;
}
