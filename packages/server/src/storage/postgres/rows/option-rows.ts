import { labelTexts } from "../../../domain/message-options.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import type { Run } from "../connections/connections.ts";
import { arraysOf, unnest } from "./given-columns.ts";
import type { GivenColumns } from "./given-columns.ts";
import { rowKeyOf } from "./message-rows.ts";

/*
 * By what messages with options are found: their labels, and the bounds of those that are scheduled.
 */

/** A message before and after a change. */
export interface ChangedMessage {
  readonly before: TrackedMessage;
  readonly after: TrackedMessage;
}

interface Bound {
  readonly notAfter: number;
  readonly key: string | undefined;
}

const boundColumns: GivenColumns<Bound> = {
  not_after: { type: "bigint", of: ({ notAfter }) => notAfter },
  message_id: { type: "uuid", of: ({ key }) => key },
};

interface Label {
  readonly accountId: string;
  readonly label: string;
  readonly key: string | undefined;
}

const labelColumns: GivenColumns<Label> = {
  account_id: { type: "text", of: ({ accountId }) => accountId },
  label: { type: "text", of: ({ label }) => label },
  message_id: { type: "uuid", of: ({ key }) => key },
};

export interface ScheduledMessage {
  readonly accountId: string;
  readonly message: TrackedMessage;
}

/** For messages that have just been scheduled. */
export async function insertOptionRows(
  run: Run,
  scheduled: readonly ScheduledMessage[],
): Promise<void> {
  const labels = scheduled.flatMap(({ accountId, message }) =>
    labelTexts(message.options).map((label) => ({
      accountId,
      label,
      key: rowKeyOf(message.messageId),
    })),
  );
  if (labels.length > 0) {
    await run({
      name: "insert-labels",
      text: `INSERT INTO message_labels SELECT * FROM ${unnest(labelColumns)}`,
      values: arraysOf(labelColumns, labels),
    });
  }
  await insertBounds(
    run,
    scheduled.flatMap(({ message }) => boundsOf(message)),
  );
}

export async function writeBounds(run: Run, changes: readonly ChangedMessage[]): Promise<void> {
  const moved = changes.filter(({ before, after }) => boundOf(before) !== boundOf(after));
  if (moved.length === 0) return;
  await run({
    name: "delete-bounds",
    text: `DELETE FROM message_bounds b USING ${unnest(boundColumns)}
      WHERE b.not_after = u.not_after AND b.message_id = u.message_id`,
    values: arraysOf(
      boundColumns,
      moved.flatMap(({ before }) => boundsOf(before)),
    ),
  });
  await insertBounds(
    run,
    moved.flatMap(({ after }) => boundsOf(after)),
  );
}

async function insertBounds(run: Run, bounds: readonly Bound[]): Promise<void> {
  if (bounds.length === 0) return;
  await run({
    name: "insert-bounds",
    text: `INSERT INTO message_bounds SELECT * FROM ${unnest(boundColumns)}`,
    values: arraysOf(boundColumns, bounds),
  });
}

function boundsOf(message: TrackedMessage): Bound[] {
  const notAfter = boundOf(message);
  return notAfter === undefined ? [] : [{ notAfter, key: rowKeyOf(message.messageId) }];
}

function boundOf({ state, options }: TrackedMessage): number | undefined {
  return state === "SCHEDULED" ? options?.notAfter : undefined;
}

/**
 * A part of a statement that removes the rows of messages with it. `gone` is a part before it that returns
 * `account_id`, `message_id` and `options` of the removed messages.
 */
export const removeOptionRows = (gone: string): string => `
  gone_labels AS (
    DELETE FROM message_labels l USING (
      SELECT g.account_id, g.message_id, e.key || ':' || e.value AS label
      FROM ${gone} g CROSS JOIN LATERAL json_each_text(g.options::json->'labels') AS e
      WHERE g.options IS NOT NULL) AS o
    WHERE l.account_id = o.account_id AND l.label = o.label AND l.message_id = o.message_id
  ), gone_bounds AS (
    DELETE FROM message_bounds b USING (
      SELECT message_id, (options::json->>'notAfter')::bigint AS not_after FROM ${gone}
      WHERE options IS NOT NULL) AS o
    WHERE b.not_after = o.not_after AND b.message_id = o.message_id
  )`;
