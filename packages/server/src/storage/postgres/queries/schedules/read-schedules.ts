import type {
  ListedSchedule,
  ListSchedulesRequest,
  ScheduleRef,
  ScheduleView,
} from "../../../store.ts";
import type { Query, Run } from "../../connections/connections.ts";
import { readSchedule } from "../../rows/schedule-rows.ts";
import type { ScheduleRow } from "../../rows/schedule-rows.ts";
import type { Context } from "../context.ts";
import { viewSchedules } from "./view-schedules.ts";

/** A part of a condition: the schedules of a removed account do not exist, whether or not they are removed yet. */
export const isAccountLive = `EXISTS (
  SELECT 1 FROM accounts WHERE account_id = $1 AND removal_time IS NULL)`;

const selectWith = (
  payload: string,
) => `SELECT s.account_id, s.schedule_id, ${payload} AS payload, h.look_time, h.schedule FROM schedules s
  JOIN schedule_states h ON h.schedule_key = s.schedule_key WHERE s.account_id = $1`;

export function getSchedule({ connections }: Context) {
  return async ({ accountId, scheduleId }: ScheduleRef): Promise<ScheduleView | undefined> => {
    const run: Run = (query) => connections.query(query, accountId);
    const text = `${selectWith("s.payload")} AND s.schedule_id = $2 AND ${isAccountLive}`;
    const [view] = await read(run, { name: "get-schedule", text, values: [accountId, scheduleId] });
    return view;
  };
}

/** One statement for each set of filters, because each walks another index. */
const listStatements = new Map(
  [
    { name: "list-schedules", filters: [] },
    { name: "list-schedules-of-target", filters: ["target_id"] },
    { name: "list-schedules-by-pause", filters: ["paused"] },
    { name: "list-schedules-of-target-by-pause", filters: ["target_id", "paused"] },
  ].map(({ name, filters }) => {
    const conditions = filters.map((column, index) => ` AND s.${column} = $${index + 4}`);
    const text = `${selectWith("''::bytea")} AND s.schedule_id > $2 AND ${isAccountLive}${conditions.join("")}
      ORDER BY s.schedule_id LIMIT $3`;
    return [filters.join(), { name, text }];
  }),
);

export function listSchedules({ connections }: Context) {
  return async (request: ListSchedulesRequest): Promise<ListedSchedule[]> => {
    const { accountId, targetId, paused, after, limit } = request;
    const filters = Object.entries({ target_id: targetId, paused }).filter(
      ([, value]) => value !== null,
    );
    const statement = listStatements.get(filters.map(([column]) => column).join())!;
    const run: Run = (query) => connections.query(query, accountId);
    const values = [accountId, after ?? "", limit, ...filters.map(([, value]) => value)];
    const views = await read(run, { ...statement, values });
    return views.map((schedule) => {
      const { payload: _, ...listed } = schedule;
      return listed;
    });
  };
}

async function read(run: Run, query: Query): Promise<ScheduleView[]> {
  const rows = await run(query);
  return viewSchedules(
    run,
    rows.map((row) => readSchedule(row as ScheduleRow)),
  );
}
