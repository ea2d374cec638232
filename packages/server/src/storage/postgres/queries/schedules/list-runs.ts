import type { ListRunsRequest, RunView } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { readRun } from "../../rows/schedule-rows.ts";
import type { Context } from "../context.ts";
import { isAccountLive } from "./read-schedules.ts";
import { viewRuns } from "./view-schedules.ts";

export function listRuns({ connections }: Context) {
  return async (request: ListRunsRequest): Promise<RunView[] | undefined> => {
    const { accountId, scheduleId, before, limit } = request;
    const run: Run = (query) => connections.query(query, accountId);
    const [schedule] = await run({
      name: "find-schedule-key",
      text: `SELECT schedule_key FROM schedules
        WHERE account_id = $1 AND schedule_id = $2 AND ${isAccountLive}`,
      values: [accountId, scheduleId],
    });
    if (schedule === undefined) return undefined;
    const rows = await run({
      name: "list-runs",
      text: `SELECT run_time, trigger, outcome, reason, message_id FROM schedule_runs
        WHERE schedule_key = $1 AND run_time < $2 AND expiration_time > (SELECT now_ms())
        ORDER BY schedule_key DESC, run_time DESC LIMIT $3`,
      values: [schedule["schedule_key"], before ?? Number.MAX_SAFE_INTEGER, limit],
    });
    return viewRuns(run, rows.map(readRun));
  };
}
