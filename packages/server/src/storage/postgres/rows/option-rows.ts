import type { Attempt } from "../../../domain/attempt.ts";
import type { EventMask } from "../../../domain/events/event-types.ts";
import type { Instant } from "../../../domain/instant.ts";
import { isKeyText, searchTexts } from "../../../domain/message-options.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import type { ChangeDecision } from "../../../domain/transitions.ts";
import type { Run } from "../connections/connections.ts";
import { arraysOf, unnest } from "./given-columns.ts";
import type { GivenColumns } from "./given-columns.ts";
import { rowKeyOf } from "./message-rows.ts";

/*
 * By what messages with options are found: labels and, while they are scheduled, their keys and bounds. The schedule
 * that made a message is among its labels, and the key of a message that has ended. Written there at once, a key
 * would be indexed twice while the message is scheduled.
 */

/** A message before and after a change. */
export interface ChangedMessage {
  readonly targetKey: number;
  /** What somebody is told about its target. */
  readonly eventMask: EventMask;
  /** The time of the change. */
  readonly now: Instant;
  readonly before: TrackedMessage;
  readonly after: TrackedMessage;
  /** The attempt that made the change, and what was decided on the changes that waited for its end. */
  readonly attempt?: Attempt;
  readonly decisions?: readonly ChangeDecision[];
  /** Another content under the same key. */
  readonly isNewContent?: boolean;
}

/** A key of a target, and the row of the message that has it. */
export interface HeldKey {
  readonly targetKey: number;
  readonly key: string;
  readonly messageKey: string | undefined;
}

const keyColumns: GivenColumns<HeldKey> = {
  target_key: { type: "int", of: ({ targetKey }) => targetKey },
  key: { type: "text", of: ({ key }) => key },
  message_id: { type: "uuid", of: ({ messageKey }) => messageKey },
};

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

/** For messages that have just been scheduled. Their keys are theirs already. */
export async function insertOptionRows(
  run: Run,
  scheduled: readonly ScheduledMessage[],
): Promise<void> {
  await insertLabels(run, scheduled);
  await insertBounds(
    run,
    scheduled.flatMap(({ message }) => boundsOf(message)),
  );
}

async function insertLabels(run: Run, messages: readonly ScheduledMessage[]): Promise<void> {
  const labels = messages.flatMap(labelsOf);
  if (labels.length === 0) return;
  await run({
    name: "insert-labels",
    text: `INSERT INTO message_labels SELECT * FROM ${unnest(labelColumns)}`,
    values: arraysOf(labelColumns, labels),
  });
}

/** The labels of messages whose content was replaced. */
export async function replaceLabels(
  run: Run,
  changes: readonly { readonly accountId: string; before: TrackedMessage; after: TrackedMessage }[],
): Promise<void> {
  const old = changes.flatMap(({ accountId, before }) => labelsOf({ accountId, message: before }));
  if (old.length > 0) {
    await run({
      name: "delete-labels",
      text: `DELETE FROM message_labels l USING ${unnest(labelColumns)}
        WHERE l.account_id = u.account_id AND l.label = u.label AND l.message_id = u.message_id`,
      values: arraysOf(labelColumns, old),
    });
  }
  await insertLabels(
    run,
    changes.map(({ accountId, after }) => ({ accountId, message: after })),
  );
}

function labelsOf({ accountId, message }: ScheduledMessage): Label[] {
  const key = rowKeyOf(message.messageId);
  const labels = searchTexts(message.options).filter((text) => !isKeyText(text));
  return labels.map((label) => ({ accountId, label, key }));
}

/** Frees the keys of messages that are scheduled no more, by which they are found from now on as by a label. */
export async function freeKeys(run: Run, changes: readonly ChangedMessage[]): Promise<void> {
  const freed = changes.flatMap(({ targetKey, before, after }): HeldKey[] => {
    const key = keyHeldBy(before);
    if (key === undefined || keyHeldBy(after) === key) return [];
    return [{ targetKey, key, messageKey: rowKeyOf(before.messageId) }];
  });
  if (freed.length === 0) return;
  await run({
    name: "free-message-keys",
    text: `WITH u AS MATERIALIZED (
        SELECT * FROM ${unnest(keyColumns)}
      ), freed AS (
        DELETE FROM message_keys k USING u
        WHERE k.target_key = u.target_key AND k.key = u.key AND k.message_id = u.message_id
      )
      INSERT INTO message_labels (account_id, label, message_id)
      SELECT m.account_id, ':' || u.key, u.message_id FROM u
      JOIN messages m ON m.message_id = u.message_id
      -- It ended before, and was scheduled again.
      ON CONFLICT DO NOTHING`,
    values: arraysOf(keyColumns, freed),
  });
}

/** Frees the keys of messages that were not stored after all. */
export async function deleteKeys(run: Run, keys: readonly HeldKey[]): Promise<void> {
  if (keys.length === 0) return;
  await run({
    name: "delete-message-keys",
    text: `DELETE FROM message_keys k USING ${unnest(keyColumns)}
      WHERE k.target_key = u.target_key AND k.key = u.key AND k.message_id = u.message_id`,
    values: arraysOf(keyColumns, keys),
  });
}

/** Takes the keys that are free. Returns the rows of the messages that have got theirs. */
export async function takeMessageKeys(
  run: Run,
  keys: readonly HeldKey[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const rows = await run({
    name: "take-message-keys",
    // In one order, so that two batches with the same keys cannot wait for each other.
    text: `INSERT INTO message_keys SELECT * FROM ${unnest(keyColumns)}
      ORDER BY target_key, key COLLATE "C"
      ON CONFLICT (target_key, key) DO NOTHING RETURNING message_id`,
    values: arraysOf(keyColumns, keys),
  });
  return new Set(rows.map((row) => row["message_id"] as string));
}

/** The key of a message while it is scheduled. */
export function keyHeldBy({ state, options }: TrackedMessage): string | undefined {
  return state === "SCHEDULED" ? options?.key : undefined;
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
 * `account_id`, `target_key`, `message_id` and `options` of the removed messages.
 */
export const removeOptionRows = (gone: string): string => `
  gone_labels AS (
    DELETE FROM message_labels l USING (
      SELECT g.account_id, g.message_id, e.label
      FROM ${gone} g CROSS JOIN LATERAL (
        SELECT key || ':' || value AS label FROM json_each_text(g.options::json->'labels')
        UNION ALL SELECT ':' || (g.options::json->>'key')
        UNION ALL SELECT '@' || (g.options::json->'schedule'->>'scheduleId')) AS e
      WHERE g.options IS NOT NULL AND e.label IS NOT NULL) AS o
    WHERE l.account_id = o.account_id AND l.label = o.label AND l.message_id = o.message_id
  ), gone_bounds AS (
    DELETE FROM message_bounds b USING (
      SELECT message_id, (options::json->>'notAfter')::bigint AS not_after FROM ${gone}
      WHERE options IS NOT NULL) AS o
    WHERE b.not_after = o.not_after AND b.message_id = o.message_id
  ), gone_message_keys AS (
    DELETE FROM message_keys k USING (
      SELECT target_key, message_id, options::json->>'key' AS key FROM ${gone}
      WHERE options IS NOT NULL) AS o
    WHERE k.target_key = o.target_key AND k.key = o.key AND k.message_id = o.message_id
  )`;
