import { dueSchedules } from "../../../due-schedules.ts";
import type { ScheduleSlice, WalkRequest } from "../../../store.ts";
import { readSchedule } from "../../rows/schedule-rows.ts";
import type { ScheduleRow } from "../../rows/schedule-rows.ts";
import type { WorkContext } from "../context.ts";
import { isAccountLive } from "../schedules/read-schedules.ts";

/** Each may have 500 exceptions, and the node reads them between deliveries. */
const mostRead = 100;

const textWith = (
  filter: string,
) => `SELECT s.account_id, s.schedule_id, ''::bytea AS payload, h.look_time, h.schedule FROM schedules s
  JOIN schedule_states h ON h.schedule_key = s.schedule_key
  WHERE s.account_id = $1 AND s.schedule_id > $2 AND ${isAccountLive}${filter}
  ORDER BY s.schedule_id LIMIT ${mostRead}`;

/** Each walks another index. */
const ofAll = { name: "walk-schedules", text: textWith("") };
const ofTarget = { name: "walk-schedules-of-target", text: textWith(" AND s.target_id = $3") };

export function walkSchedules({ connections }: WorkContext) {
  return async ({ accountId, targetId, after }: WalkRequest): Promise<ScheduleSlice> => {
    const from = [accountId, after ?? ""];
    const query =
      targetId === null ? { ...ofAll, values: from } : { ...ofTarget, values: [...from, targetId] };
    const rows = await connections.query(query, accountId);
    const read = rows.map((row) => readSchedule(row as ScheduleRow));
    const reached = read.length < mostRead ? null : read.at(-1)!.scheduleId;
    return { schedules: dueSchedules(read), reached };
  };
}
