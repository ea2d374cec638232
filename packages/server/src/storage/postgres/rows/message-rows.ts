import { endReasons } from "../../../domain/end-reason.ts";
import type { EndReason } from "../../../domain/end-reason.ts";
import { messageStates } from "../../../domain/message.ts";
import type { MessageOptions } from "../../../domain/message-options.ts";
import type { MessageState, TrackedMessage } from "../../../domain/message.ts";
import { formatMessageId, parseMessageId } from "../../../platform/message-ids.ts";
import type { Query, Row } from "../connections/connections.ts";
import { arraysOf, unnest } from "./given-columns.ts";
import type { GivenColumns } from "./given-columns.ts";

export function stateNumber(state: MessageState): number {
  return messageStates.indexOf(state);
}

export function endReasonNumber(reason: EndReason | null): number | null {
  return reason === null ? null : endReasons.indexOf(reason);
}

export function optionsText(options: MessageOptions | null): string | null {
  return options === null ? null : JSON.stringify(options);
}

/*
 * This file has the full list of the columns of a message. A new field is a line in `readMessage`, one in
 * `newMessageColumns`, and one in `fixed` or `changing`. The table `event_outbox` has the column too.
 */

/** Columns that never change after scheduling, unless the content is replaced. */
const fixed: GivenColumns<TrackedMessage> = {
  message_id: { type: "uuid", of: ({ messageId }) => rowKeyOf(messageId) },
  scheduling_time: { type: "bigint", of: ({ schedulingTime }) => schedulingTime },
  original_delivery_time: {
    type: "bigint",
    of: ({ originalDeliveryTime }) => originalDeliveryTime,
  },
};

/** Columns that an update writes. Every update writes all of them. */
const changing: GivenColumns<TrackedMessage> = {
  state: { type: "smallint", of: ({ state }) => stateNumber(state) },
  version: { type: "int", of: ({ version }) => version },
  next_delivery_time: { type: "bigint", of: ({ nextDeliveryTime }) => nextDeliveryTime },
  last_delivery_time: { type: "bigint", of: ({ lastDeliveryTime }) => lastDeliveryTime },
  dead_letter_time: { type: "bigint", of: ({ deadLetterTime }) => deadLetterTime },
  cancellation_time: { type: "bigint", of: ({ cancellationTime }) => cancellationTime },
  expiration_time: { type: "bigint", of: ({ expirationTime }) => expirationTime },
  delivery_failure_count: { type: "int", of: ({ deliveryFailureCount }) => deliveryFailureCount },
  attempt_count: { type: "int", of: ({ attemptCount }) => attemptCount },
  attempts_this_round: { type: "int", of: ({ attemptsThisRound }) => attemptsThisRound },
  planning_time: { type: "bigint", of: ({ planningTime }) => planningTime },
  end_reason: { type: "smallint", of: ({ endReason }) => endReasonNumber(endReason) },
  options: { type: "text", of: ({ options }) => optionsText(options) },
};

/** The columns of a message's own row, without those of its target. */
export const ownColumns = [...Object.keys(fixed), ...Object.keys(changing)];

/** The same, with their values. */
export const snapshotColumns: GivenColumns<TrackedMessage> = { ...fixed, ...changing };

/** The columns for `readMessage`, of a row `m`. The query says where the target's id comes from. */
export function messageColumns(targetId = "t.target_id"): string {
  const own = ownColumns.map((column) => `m.${column}`);
  return ["m.target_key", `${targetId} AS target_id`, ...own].join(", ");
}

/** The same for a change, with `event_mask`: what somebody is told about the target. */
export function changeColumns(): string {
  return `${messageColumns()}, coalesce((
    SELECT event_mask FROM target_events e WHERE e.target_key = m.target_key), 0) AS event_mask`;
}

/** SQL expressions for the values in which new messages differ. */
export interface NewMessageInSql {
  readonly messageId: string;
  readonly accountId: string;
  readonly targetKey: string;
  readonly schedulingTime: string;
  readonly deliveryTime: string;
  readonly payload: string;
  /** Left out for plain messages, which are due at their delivery time. */
  readonly rest?: { readonly dueTime: string; readonly options: string };
}

/** Inserts messages that have just been scheduled; the query adds FROM. Other columns are null. */
export function insertMessages(given: NewMessageInSql, table = "messages"): string {
  const columns = {
    account_id: given.accountId,
    ...newMessageColumns(given),
    payload: given.payload,
  };
  return `INSERT INTO ${table} (${Object.keys(columns).join(", ")})
    SELECT ${Object.values(columns).join(", ")}`;
}

/** The columns of a message that has just been scheduled, as far as they are not null, as SQL. */
function newMessageColumns(
  given: Omit<NewMessageInSql, "accountId" | "payload">,
): Readonly<Record<string, string | number>> {
  return {
    message_id: given.messageId,
    target_key: given.targetKey,
    state: stateNumber("SCHEDULED"),
    version: 1,
    scheduling_time: given.schedulingTime,
    original_delivery_time: given.deliveryTime,
    next_delivery_time: given.rest?.dueTime ?? given.deliveryTime,
    delivery_failure_count: 0,
    attempt_count: 0,
    attempts_this_round: 0,
    planning_time: given.schedulingTime,
    ...(given.rest !== undefined && { options: given.rest.options }),
  };
}

export function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export const beforeEveryKey = "00000000-0000-0000-0000-000000000000";
export const behindEveryKey = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Sorts before every key with this time or a later one, and behind all with an earlier one. */
export function keyBefore(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The key of the row; undefined for a text that is not an id. */
export function rowKeyOf(messageId: string): string | undefined {
  const parts = parseMessageId(messageId);
  return parts && uuidOf(parts.bytes);
}

export function messageIdOf(uuid: string): string {
  return formatMessageId(Buffer.from(uuid.replaceAll("-", ""), "hex"));
}

export function readMessage(row: Row): TrackedMessage {
  return {
    messageId: messageIdOf(row["message_id"]),
    targetId: row["target_id"],
    schedulingTime: row["scheduling_time"],
    originalDeliveryTime: row["original_delivery_time"],
    state: messageStates[row["state"] as number]!,
    deliveryFailureCount: row["delivery_failure_count"],
    nextDeliveryTime: row["next_delivery_time"],
    lastDeliveryTime: row["last_delivery_time"],
    deadLetterTime: row["dead_letter_time"],
    cancellationTime: row["cancellation_time"],
    expirationTime: row["expiration_time"],
    version: row["version"],
    attemptCount: row["attempt_count"],
    attemptsThisRound: row["attempts_this_round"],
    planningTime: row["planning_time"],
    endReason: row["end_reason"] === null ? null : endReasons[row["end_reason"] as number]!,
    options: row["options"] === null ? null : JSON.parse(row["options"]),
  };
}

const written: GivenColumns<TrackedMessage> = {
  message_id: { type: "uuid", of: ({ messageId }) => rowKeyOf(messageId) },
  ...changing,
};
const updateStatement = `
  UPDATE messages m SET ${Object.keys(changing)
    .map((column) => `${column} = u.${column}`)
    .join(", ")}
  FROM ${unnest(written)} WHERE m.message_id = u.message_id`;

interface NewContent {
  readonly message: TrackedMessage;
  readonly payload: string;
}

const contentColumns: GivenColumns<NewContent> = {
  message_id: { type: "uuid", of: ({ message }) => rowKeyOf(message.messageId) },
  original_delivery_time: { type: "bigint", of: ({ message }) => message.originalDeliveryTime },
  payload: { type: "bytea", of: ({ payload }) => Buffer.from(payload) },
};

/** For messages whose content was replaced. */
export function updatePayloads(contents: readonly NewContent[]): Query {
  return {
    name: "update-payloads",
    text: `UPDATE messages m
      SET original_delivery_time = u.original_delivery_time, payload = u.payload
      FROM ${unnest(contentColumns)} WHERE m.message_id = u.message_id`,
    values: arraysOf(contentColumns, contents),
  };
}

/** Writes changed messages back, without what is in other tables. */
export function updateMessages(messages: readonly TrackedMessage[]): Query {
  return {
    name: "update-messages",
    text: updateStatement,
    values: arraysOf(written, messages),
  };
}
