import { messageStates } from "../../../../domain/message.ts";
import type { MessageState } from "../../../../domain/message.ts";
import type { Run as RunOfSchedule } from "../../../../domain/schedules/run.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { RunView, ScheduleView } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { rowKeyOf } from "../../rows/message-rows.ts";

/** Schedules as callers see them: with the states of the messages of their last runs. */
export async function viewSchedules(
  run: Run,
  schedules: readonly Schedule[],
): Promise<ScheduleView[]> {
  const lastRuns = schedules.flatMap(({ lastRun }) => lastRun ?? []);
  const views = new Map(
    (await viewRuns(run, lastRuns)).map((view, index) => [lastRuns[index], view]),
  );
  return schedules.map((schedule) => ({
    ...schedule,
    lastRun: schedule.lastRun && views.get(schedule.lastRun)!,
  }));
}

export async function viewRuns(run: Run, runs: readonly RunOfSchedule[]): Promise<RunView[]> {
  const keyOf = ({ messageId }: RunOfSchedule): string | undefined =>
    messageId === null ? undefined : rowKeyOf(messageId);
  const states = await statesOf(
    run,
    runs.map(keyOf).filter((key) => key !== undefined),
  );
  return runs.map((each) => ({ ...each, messageState: states.get(keyOf(each)) ?? null }));
}

/** Those that have not expired. */
async function statesOf(
  run: Run,
  keys: readonly string[],
): Promise<ReadonlyMap<string | undefined, MessageState>> {
  if (keys.length === 0) return new Map();
  const rows = await run({
    name: "see-states-of-runs",
    text: `SELECT m.message_id, m.state FROM unnest($1::uuid[]) AS u(message_id)
      JOIN messages m ON m.message_id = u.message_id
        AND (m.expiration_time IS NULL OR m.expiration_time > (SELECT now_ms()))`,
    values: [keys],
  });
  return new Map(rows.map((row) => [row["message_id"], messageStates[row["state"] as number]!]));
}
