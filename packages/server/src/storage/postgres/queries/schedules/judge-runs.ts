import { messageStates } from "../../../../domain/message.ts";
import type { Instant } from "../../../../domain/message.ts";
import { nextJudgeTime } from "../../../../domain/schedules/judge-time.ts";
import { schedulePausedNote } from "../../../../domain/schedules/schedule-notes.ts";
import { judged } from "../../../../domain/schedules/steps/judged.ts";
import { newAuditEntryId } from "../../../../platform/audit-ids.ts";
import type { Holder, ScheduleRef } from "../../../store.ts";
import type { Row, Run } from "../../connections/connections.ts";
import { arraysOf, unnest } from "../../rows/given-columns.ts";
import type { GivenColumns } from "../../rows/given-columns.ts";
import { writeNotes } from "../audit-entries.ts";
import type { WorkContext } from "../context.ts";
import { ensureAlive, notHeld } from "./may-advance.ts";
import { lockSchedules } from "./lock-schedules.ts";
import { writeSteps } from "./write-steps.ts";

/** A run whose message was looked at. */
interface LookedAt {
  readonly scheduleKey: number;
  readonly runTime: Instant;
  /** When to look again; null: the message has ended. */
  readonly judgeTime: Instant | null;
  /** Whether it became a dead letter. Undefined: it did not end by an attempt, or has not ended. */
  readonly isDeadLetter: boolean | undefined;
}

const judgedColumns: GivenColumns<LookedAt> = {
  schedule_key: { type: "bigint", of: ({ scheduleKey }) => scheduleKey },
  run_time: { type: "bigint", of: ({ runTime }) => runTime },
  judge_time: { type: "bigint", of: ({ judgeTime }) => judgeTime },
};

/** A row outlasts its message. */
const writeStatement = `
  UPDATE schedule_runs r SET judge_time = u.judge_time,
    expiration_time = greatest(r.expiration_time, coalesce(u.judge_time + $1, 0))
  FROM ${unnest(judgedColumns, "u", 2)}
  WHERE r.schedule_key = u.schedule_key AND r.run_time = u.run_time`;

/** Several nodes may do this at once: each takes the schedules that no other has locked. */
export function judgeRuns({ connections, random, retentionMs }: WorkContext) {
  return async (
    holder: Holder,
    limit: number,
  ): Promise<{ readonly looked: number; readonly paused: readonly ScheduleRef[] }> => {
    const due = await connections.query({
      name: "find-runs-to-judge",
      text: `SELECT schedule_key, run_time FROM schedule_runs WHERE judge_time <= (SELECT now_ms())
        ORDER BY judge_time, schedule_key, run_time LIMIT $1`,
      values: [limit],
    });
    if (due.length === 0) return { looked: 0, paused: [] };
    try {
      const paused = await connections.transaction((run) => judge(run, due, holder));
      return { looked: due.length, paused };
    } catch (error) {
      if (error === notHeld) return { looked: 0, paused: [] };
      throw error;
    }
  };

  async function judge(run: Run, due: readonly Row[], holder: Holder): Promise<ScheduleRef[]> {
    const keys = [...new Set(due.map((row) => row["schedule_key"] as number))];
    const { now, schedules } = await lockSchedules(run, keys);
    const isLocked = new Set(schedules.map(({ key }) => key));
    const rows = await lookAtMessages(run, due);
    // Also without its schedule, which may have been removed, a row is not looked at again.
    const own = rows.filter(
      (row) =>
        row["judge_time"] !== null && (isLocked.has(row["schedule_key"]) || row["is_removed"]),
    );
    const looked = own.map((row) => lookedAt(row, now));
    const bySchedule = Map.groupBy(looked, ({ scheduleKey }) => scheduleKey);
    const steps = schedules.flatMap(({ key, schedule: before }) => {
      const ended = (bySchedule.get(key) ?? []).flatMap(({ runTime, isDeadLetter }) =>
        isDeadLetter === undefined ? [] : { runTime, isDeadLetter },
      );
      if (ended.length === 0) return [];
      const schedule = judged(before, ended, now);
      return [{ key, before, schedule, undoneRunTimes: [], runs: [], hasTooManyUnmade: false }];
    });
    const values = [retentionMs, ...arraysOf(judgedColumns, looked)];
    await run({ name: "write-judged-runs", text: writeStatement, values });
    await writeSteps(run, steps, { now, retentionMs });
    const paused = steps
      .filter(({ before, schedule }) => before.pause === null && schedule.pause !== null)
      .map(({ schedule }) => schedule);
    const notes = paused.map((schedule) => schedulePausedNote(schedule, newAuditEntryId(random)));
    if (notes.length > 0) await writeNotes(run, notes);
    await ensureAlive(run, holder);
    return paused.map(({ accountId, scheduleId }) => ({ accountId, scheduleId }));
  }
}

/** A separate statement sees what was committed before the schedules were locked. */
function lookAtMessages(run: Run, due: readonly Row[]): Promise<Row[]> {
  return run({
    name: "look-at-judged-messages",
    text: `SELECT r.schedule_key, r.run_time, r.judge_time, m.state, m.original_delivery_time,
        s.schedule_key IS NULL AS is_removed
      FROM unnest($1::bigint[], $2::bigint[]) AS u(schedule_key, run_time)
      JOIN schedule_runs r ON r.schedule_key = u.schedule_key AND r.run_time = u.run_time
      LEFT JOIN schedules s ON s.schedule_key = r.schedule_key
      LEFT JOIN messages m ON m.message_id = r.message_id`,
    values: [due.map((row) => row["schedule_key"]), due.map((row) => row["run_time"])],
  });
}

function lookedAt(row: Row, now: Instant): LookedAt {
  const run = { scheduleKey: row["schedule_key"], runTime: row["run_time"] };
  const state = row["state"] === null ? undefined : messageStates[row["state"] as number];
  if (state === "SCHEDULED" && row["is_removed"] !== true) {
    const judgeTime = nextJudgeTime(row["original_delivery_time"], now);
    return { ...run, judgeTime, isDeadLetter: undefined };
  }
  const isDeadLetter = state === "DEAD_LETTER" ? true : state === "DELIVERED" ? false : undefined;
  return { ...run, judgeTime: null, isDeadLetter };
}
