import type { ForecastSchedule } from "../../../../domain/schedules/forecast/runs-to-come.ts";
import { dueSchedules } from "../../../due-schedules.ts";
import type { ScheduleSlice, WalkRequest } from "../../../store.ts";
import type { Values } from "../../rows/rows.ts";
import { fromSchedules, listedColumns, readSchedule } from "../../tables/schedule-table.ts";
import { beginLook } from "./reading-context.ts";
import type { ReadingContext } from "./reading-context.ts";

/** How many schedules are read between two looks at the clock. Each may have 500 exceptions. */
const piece = 25;
/** How many are handed over at once: whoever gets them reads them between deliveries. */
const mostAtOnce = 100;

export function walkSchedules(context: ReadingContext) {
  const { db } = context;
  const live =
    "SELECT account_key FROM accounts WHERE account_id = :account AND removal_time IS NULL";
  const selectWith = (filter: string) => {
    const select = db.prepare(
      `SELECT ${listedColumns} ${fromSchedules}
       WHERE account_key = (${live}) AND ${filter}schedule_id > :after
       ORDER BY schedule_id LIMIT ${piece}`,
    );
    select.setReturnArrays(true);
    return select;
  };
  const ofAll = selectWith("");
  const ofTarget = selectWith("target_id = :target AND ");

  return ({ accountId, targetId, after }: WalkRequest): ScheduleSlice => {
    const isOver = beginLook(context);
    const schedules: ForecastSchedule[] = [];
    let reached = after ?? "";
    for (;;) {
      const from = { account: accountId, after: reached };
      const rows = (targetId === null
        ? ofAll.all(from)
        : ofTarget.all({ ...from, target: targetId })) as unknown as Values[];
      const read = rows.map((row) => readSchedule(row).schedule);
      schedules.push(...dueSchedules(read));
      if (read.length < piece) return { schedules, reached: null };
      reached = read.at(-1)!.scheduleId;
      if (isOver() || schedules.length >= mostAtOnce) return { schedules, reached };
    }
  };
}
