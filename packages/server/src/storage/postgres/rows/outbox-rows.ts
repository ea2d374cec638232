import { bitOf, healthMask } from "../../../domain/events/event-types.ts";
import type { EventMask, EventType } from "../../../domain/events/event-types.ts";
import { stepsOf, typesOf } from "../../../domain/events/message-events.ts";
import type { Attempt } from "../../../domain/attempt.ts";
import type { Instant } from "../../../domain/instant.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import type { Run } from "../connections/connections.ts";
import { attemptColumns } from "./attempt-rows.ts";
import { arraysOf, columnsWithin, namesOf, unnest } from "./given-columns.ts";
import type { GivenColumns } from "./given-columns.ts";
import { ownColumns, snapshotColumns } from "./message-rows.ts";
import type { NewMessageInSql } from "./message-rows.ts";
import type { ChangedMessage } from "./option-rows.ts";

/*
 * What statements write into the outbox of events. A row is one change of a message with all types of events that it
 * makes, all new messages of a statement, or an event of something else. `queries/events/move-events.ts` makes events of the rows.
 */

export function bitsOf(types: readonly EventType[]): EventMask {
  return types.reduce((mask, type) => mask | bitOf(type), 0);
}

const scheduledBit = bitOf("message.scheduled");

/** What may come of an attempt. */
const attemptMask =
  healthMask | bitsOf(["message.attempt_failed", "message.delivered", "message.dead_lettered"]);

/** A condition on the masks that a statement has read: whether anybody is told about new messages. */
export const areNewTold = (mask: string): string => `${mask} & ${scheduledBit} <> 0`;

/**
 * A part of a statement that stores new messages: one row for all of them, because a row costs more than what it says. `from`
 * says where they come from, and which somebody is told about. If it has a condition that depends on no row, such as
 * `areNewTold` of a scalar, the database tests that once and reads nothing.
 */
export function tellNewMessages(
  { targetKey, messageId, schedulingTime, deliveryTime, rest }: GivenMessage,
  from: string,
): string {
  const values = [targetKey, messageId, deliveryTime];
  if (rest !== undefined) values.push(rest.dueTime, rest.options);
  return `INSERT INTO event_outbox (types, time, message_count, new_messages)
    SELECT ${scheduledBit}, min(${schedulingTime}), count(*),
      json_agg(json_build_array(${values.join(", ")}))
    FROM ${from} HAVING count(*) > 0`;
}

type GivenMessage = Omit<NewMessageInSql, "accountId" | "payload">;

/** What `tellNewMessages` writes of each message, as the driver reads it. */
export type ToldMessage = readonly [
  ...[targetKey: number, uuid: string, deliveryTime: Instant],
  ...[dueTime?: Instant, options?: string | null],
];

/** The union of what somebody is told about these targets, by one look at each. */
const maskOfTargets = (targetKeys: string): string =>
  `(SELECT bit_or(event_mask) FROM target_events WHERE target_key = ANY (${targetKeys}))`;

/** The same for messages whose targets a statement does not read. It has their keys, each once, in a parameter. */
export function tellAdmitted(given: GivenMessage, from: string, targetKeys: string): string {
  return tellNewMessages(
    given,
    `${from} JOIN target_events e ON e.target_key = ${given.targetKey}
    WHERE ${areNewTold(maskOfTargets(targetKeys))} AND ${areNewTold("e.event_mask")}`,
  );
}

const renamed = (column: string): string => `own_${column}`;

/** For RETURNING: the columns of a message `m` under names that no others have. */
export const renamedOwnColumns = ownColumns
  .map((column) => `m.${column} AS ${renamed(column)}`)
  .join(", ");

const { message_id: _, response: __, ...toldOfAttempt } = attemptColumns;
const attemptNames = Object.keys(toldOfAttempt);

/**
 * A part of the statement that records attempts. `changed` is a part before it that has the columns of the attempts,
 * `renamedOwnColumns`, and `event_types` of what came of each attempt.
 */
export const tellAttempts = (changed: string, targetKeys: string): string => `
  INSERT INTO event_outbox
    (types, time, target_key, failing_after, ${ownColumns.join(", ")}, ${attemptNames.join(", ")})
  SELECT (c.event_types | ${healthMask}) & e.event_mask, c.now, c.target_key, e.failing_after,
    ${ownColumns.map((column) => `c.${renamed(column)}`).join(", ")},
    ${attemptNames.map((column) => `c.${column}`).join(", ")}
  FROM ${changed} c JOIN target_events e ON e.target_key = c.target_key
  WHERE ${maskOfTargets(targetKeys)} & ${attemptMask} <> 0
    AND (c.event_types | ${healthMask}) & e.event_mask <> 0`;

interface ToldChange {
  readonly types: EventMask;
  readonly now: Instant;
  readonly targetKey: number;
  readonly message: TrackedMessage;
  readonly attempt: Attempt | null;
}

const changeColumns: GivenColumns<ToldChange> = {
  types: { type: "int", of: ({ types }) => types },
  time: { type: "bigint", of: ({ now }) => now },
  target_key: { type: "int", of: ({ targetKey }) => targetKey },
  ...columnsWithin(snapshotColumns, ({ message }: ToldChange) => message),
  ...columnsWithin(toldOfAttempt, ({ attempt }: ToldChange) => attempt && { key: "", attempt }),
};

const insertChanges = `INSERT INTO event_outbox (${namesOf(changeColumns)}, failing_after)
  SELECT u.*, (SELECT failing_after FROM target_events e WHERE e.target_key = u.target_key)
  FROM ${unnest(changeColumns)}`;

/** The messages are locked. Nothing is sent to the database if nobody is told about them. */
export async function tellChanges(run: Run, changes: readonly ChangedMessage[]): Promise<void> {
  const told = changes.flatMap((change) => (change.eventMask === 0 ? [] : toldOf(change)));
  if (told.length === 0) return;
  await run({
    name: "tell-changes",
    text: insertChanges,
    values: arraysOf(changeColumns, told),
  });
}

function toldOf({
  targetKey,
  eventMask,
  now,
  before,
  after,
  attempt,
  decisions,
  isNewContent,
}: ChangedMessage): ToldChange[] {
  const told = (types: EventMask, message: TrackedMessage, made: Attempt | null): ToldChange[] => {
    const wanted = (made === null ? types : types | healthMask) & eventMask;
    return wanted === 0 ? [] : [{ types: wanted, now, targetKey, message, attempt: made }];
  };
  // All that waited for a claim without an attempt was refused.
  if (before === after) return [];
  if (isNewContent) return told(bitOf("message.replaced"), after, null);
  return stepsOf(before, after, attempt ?? null, decisions).flatMap((step) =>
    told(bitsOf(typesOf(step)), step.after, step.attempt),
  );
}
