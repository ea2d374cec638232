import type { TrackedMessage } from "../../../domain/message.ts";
import { movedRun } from "../../../domain/schedules/moved-run.ts";
import { runTriggers, triggersByTime } from "../../../domain/schedules/run.ts";
import type { Run } from "../connections/connections.ts";
import { arraysOf, unnest } from "./given-columns.ts";
import type { GivenColumns } from "./given-columns.ts";
import { rowKeyOf, stateNumber } from "./message-rows.ts";
import type { ChangedMessage } from "./option-rows.ts";

/*
 * Runs by time whose messages callers have moved, and those that were made again after their time. Also those whose
 * messages wait for longer than the rows of the runs are kept: a caller may still move them. Only who has locked the
 * message changes its row; the removal of expired runs adds one where there is none. The record of an attempt leaves the row alone: its due time has come, so it says nothing
 * any more, and it goes with the message.
 */

/** The triggers of these runs, as SQL. */
export const triggersByTimeText = triggersByTime
  .map((trigger) => runTriggers.indexOf(trigger))
  .join(", ");

const columns: GivenColumns<TrackedMessage> = {
  message_id: { type: "uuid", of: ({ messageId }) => rowKeyOf(messageId) },
  schedule_id: { type: "text", of: ({ options }) => options!.schedule!.scheduleId },
  run_time: { type: "bigint", of: ({ options }) => options!.schedule!.runTime },
};

/**
 * The messages as they are now. A schedule that was created again has no such run. One statement looks at both tables,
 * so it finds a run whose row expires meanwhile in one of them.
 */
const addStatement = `
  INSERT INTO moved_runs (message_id, schedule_key, run_time, trigger, due_time)
  SELECT m.message_id, r.schedule_key, u.run_time, r.trigger, m.next_delivery_time
  FROM ${unnest(columns)}
  JOIN messages m ON m.message_id = u.message_id
  CROSS JOIN LATERAL (
    SELECT known.schedule_key, known.trigger FROM moved_runs known
    WHERE known.message_id = m.message_id
    UNION ALL
    SELECT made.schedule_key, made.trigger FROM schedules s
    JOIN schedule_runs made ON made.schedule_key = s.schedule_key AND made.run_time = u.run_time
      AND made.message_id = m.message_id AND made.trigger IN (${triggersByTimeText})
    WHERE s.account_id = m.account_id AND s.schedule_id = u.schedule_id
    LIMIT 1) AS r
  ON CONFLICT (message_id) DO UPDATE SET due_time = excluded.due_time`;

/** The rows of the messages are written already. */
export async function writeMovedRuns(run: Run, changes: readonly ChangedMessage[]): Promise<void> {
  const afterwards = (wanted: ReturnType<typeof movedRun>): TrackedMessage[] =>
    changes.flatMap(({ before, after }) => (movedRun(before, after) === wanted ? [after] : []));
  await addMovedRuns(run, afterwards("moved"));
  const over = afterwards("over");
  if (over.length === 0) return;
  await run({
    name: "remove-moved-runs",
    text: "DELETE FROM moved_runs WHERE message_id = ANY($1::uuid[])",
    values: [over.map(({ messageId }) => rowKeyOf(messageId))],
  });
}

/** The rows of the messages are written already, and those of their runs, unless they have expired. */
export async function addMovedRuns(run: Run, messages: readonly TrackedMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await run({ name: "add-moved-runs", text: addStatement, values: arraysOf(columns, messages) });
}

/**
 * A part of a statement that removes rows of runs: a run stays known if its message was never attempted and still
 * waits. `expired` is a part before it that has `schedule_key`, `run_time`, `trigger` and `message_id` of these rows.
 * `LIMIT` makes the database look up one message after the other, and not read all that are scheduled.
 */
export const keepWaitingRuns = (expired: string): string => `
  kept_waiting_runs AS (
    INSERT INTO moved_runs (message_id, schedule_key, run_time, trigger, due_time)
    SELECT e.message_id, e.schedule_key, e.run_time, e.trigger, m.next_delivery_time
    FROM ${expired} e
    CROSS JOIN LATERAL (
      SELECT state, attempt_count, next_delivery_time FROM messages
      WHERE message_id = e.message_id LIMIT 1) AS m
    WHERE e.trigger IN (${triggersByTimeText})
      AND m.state = ${stateNumber("SCHEDULED")} AND m.attempt_count = 0
      AND NOT EXISTS (SELECT FROM moved_runs known WHERE known.message_id = e.message_id)
    ON CONFLICT (message_id) DO NOTHING
  )`;

/**
 * A part of a statement that removes the rows of messages with it. `gone` is a part before it that returns
 * `message_id` and `options` of the removed messages.
 */
export const removeMovedRuns = (gone: string): string => `
  gone_moved_runs AS (
    DELETE FROM moved_runs r USING (
      SELECT message_id FROM ${gone} WHERE options IS NOT NULL) AS o
    WHERE r.message_id = o.message_id
  )`;
