import type {
  ListedSchedule,
  ListRunsRequest,
  ListSchedulesRequest,
  RunView,
  ScheduleRef,
  ScheduleView,
} from "../../../store.ts";
import type { Values } from "../../rows/rows.ts";
import { fromSchedules, listedColumns, readSchedule } from "../../tables/schedule-table.ts";
import type { Context } from "../context.ts";
import { scheduleViews } from "./view-schedule.ts";

export function getSchedule(context: Context) {
  const { schedules } = context;
  const { viewSchedule } = scheduleViews(context);
  return (ref: ScheduleRef): ScheduleView | undefined => {
    const stored = schedules.find(ref);
    return stored && viewSchedule(stored.schedule);
  };
}

export function listSchedules(context: Context) {
  const { db, accounts } = context;
  const { viewSchedule } = scheduleViews(context);
  /** One statement for each set of filters, because each walks another index. */
  const selectWith = (...filters: readonly string[]) => {
    const wanted = ["account_key = :account", ...filters, "schedule_id > :after"].join(" AND ");
    const select = db.prepare(
      `SELECT ${listedColumns} ${fromSchedules} WHERE ${wanted}
       ORDER BY schedule_id LIMIT :limit`,
    );
    select.setReturnArrays(true);
    return select;
  };
  const [ofTarget, ofPause] = ["target_id = :target", "paused = :paused"];
  const all = selectWith();
  const byTarget = selectWith(ofTarget);
  const byPause = selectWith(ofPause);
  const byBoth = selectWith(ofTarget, ofPause);

  return (request: ListSchedulesRequest): ListedSchedule[] => {
    const { accountId, targetId, paused, after, limit } = request;
    const account = accounts.keyOf(accountId);
    if (account === undefined) return [];
    const select =
      targetId === null ? (paused === null ? all : byPause) : paused === null ? byTarget : byBoth;
    const rows = select.all({
      ...{ account, after: after ?? "", limit },
      ...(targetId !== null && { target: targetId }),
      ...(paused !== null && { paused: Number(paused) }),
    });
    return (rows as unknown as Values[]).map((row) => {
      const { payload: _, ...listed } = viewSchedule(readSchedule(row).schedule);
      return listed;
    });
  };
}

export function listRuns(context: Context) {
  const { clock, schedules, runs } = context;
  const { viewRun } = scheduleViews(context);
  return ({ before, limit, ...ref }: ListRunsRequest): RunView[] | undefined => {
    const stored = schedules.find(ref);
    return stored && runs.before(stored.scheduleKey, before, clock.now(), limit).map(viewRun);
  };
}
