import type { TrackedMessage } from "../../../domain/message.ts";
import { movedRun } from "../../../domain/schedules/moved-run.ts";
import { runTriggers, triggersByTime } from "../../../domain/schedules/run.ts";
import type { Run } from "../connections/connections.ts";
import { arraysOf, unnest } from "./given-columns.ts";
import type { GivenColumns } from "./given-columns.ts";
import { rowKeyOf } from "./message-rows.ts";
import type { ChangedMessage } from "./option-rows.ts";

/*
 * Runs by time whose messages callers have moved, and those that were made again after their time. Only who has locked
 * the message writes its row. The record of an attempt leaves the row alone: its due time has come, so it says nothing
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

/** The messages as they are now. A schedule that was created again has no such run. */
const addStatement = `
  INSERT INTO moved_runs (message_id, schedule_key, run_time, trigger, due_time)
  SELECT m.message_id, r.schedule_key, r.run_time, r.trigger, m.next_delivery_time
  FROM ${unnest(columns)}
  JOIN messages m ON m.message_id = u.message_id
  JOIN schedules s ON s.account_id = m.account_id AND s.schedule_id = u.schedule_id
  JOIN schedule_runs r ON r.schedule_key = s.schedule_key AND r.run_time = u.run_time
    AND r.message_id = m.message_id AND r.trigger IN (${triggersByTimeText})
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

/** The rows of the messages and of their runs are written already. */
export async function addMovedRuns(run: Run, messages: readonly TrackedMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await run({ name: "add-moved-runs", text: addStatement, values: arraysOf(columns, messages) });
}

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
