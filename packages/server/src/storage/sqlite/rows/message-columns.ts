import { endReasons } from "../../../domain/end-reason.ts";
import { messageStates } from "../../../domain/message.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import { formatMessageId } from "../../../platform/message-ids.ts";
import { assignments } from "./rows.ts";
import type { Values, ValuesOf } from "./rows.ts";

export interface StoredMessage {
  readonly messageKey: number;
  readonly targetKey: number;
  readonly message: TrackedMessage;
}

/*
 * This file has the full list of the columns of a message. A new field is a line in `readStoredMessage`, one
 * in `inserted`, and one in `fixed`, or in `changing` and `updateValues`. Plain messages never write the
 * columns in `rare`.
 */

/** Columns that never change after scheduling. The target's id comes from its own table. */
const fixed = [
  "message_key",
  "message_id",
  "target_key",
  "target_id",
  "scheduling_time",
  "original_delivery_time",
] as const;

/** Columns that every update writes, all of them, in the order of `updateValues`. */
const changing = [
  "state",
  "version",
  "next_delivery_time",
  "last_delivery_time",
  "dead_letter_time",
  "cancellation_time",
  "expiration_time",
  "delivery_failure_count",
  "attempt_count",
  "attempts_this_round",
  "planning_time",
] as const;

/** Columns that are null for a plain message, in the order of `rareValues`. */
const rare = ["options", "end_reason"] as const;

export function isPlain({ options, endReason }: TrackedMessage): boolean {
  return options === null && endReason === null;
}

export function rareValues({ options, endReason }: TrackedMessage): ValuesOf<typeof rare> {
  return [
    options === null ? null : JSON.stringify(options),
    endReason === null ? null : endReasons.indexOf(endReason),
  ];
}

/** Written out: a list of functions, one a column, would make an update slower by a tenth. */
export function updateValues(
  message: TrackedMessage,
  messageKey: number,
): [...ValuesOf<typeof changing>, number] {
  return [
    messageStates.indexOf(message.state),
    message.version,
    message.nextDeliveryTime,
    message.lastDeliveryTime,
    message.deadLetterTime,
    message.cancellationTime,
    message.expirationTime,
    message.deliveryFailureCount,
    message.attemptCount,
    message.attemptsThisRound,
    message.planningTime,
    messageKey,
  ];
}

/** The parameters for a message that has just been scheduled. Columns left out are null. */
const inserted = {
  message_key: "?1",
  message_id: "?2",
  account_key: "?3",
  target_key: "?4",
  state: messageStates.indexOf("SCHEDULED"),
  version: "?5",
  scheduling_time: "?6",
  original_delivery_time: "?7",
  next_delivery_time: "?7",
  delivery_failure_count: 0,
  attempt_count: 0,
  attempts_this_round: 0,
  planning_time: "?6",
  payload: "?8",
};

function insertOf(values: Readonly<Record<string, string | number>>): string {
  return `INSERT INTO messages (${Object.keys(values).join(", ")})
    VALUES (${Object.values(values).join(", ")})`;
}

/**
 * Takes the message's key and id, the account's key, the target's key, the version, the two times
 * and the payload.
 */
export const insertMessage = insertOf(inserted);

/** Takes the same, `nextDeliveryTime` and the options. */
export const insertMessageWithOptions = insertOf({
  ...inserted,
  next_delivery_time: "?9",
  options: "?10",
});

/** Takes `updateValues`. */
export const updateMessage = `UPDATE messages SET ${assignments(changing)}
  WHERE message_key = ?`;

/** Takes `rareValues` and the message's key. */
export const updateRareColumns = `UPDATE messages SET ${assignments(rare)} WHERE message_key = ?`;

const columns = [...fixed, ...changing, ...rare];
type Column = (typeof columns)[number];

/**
 * The columns of a row `m` without its payload, and of its target. `readStoredMessage` reads them
 * as a list.
 */
export const messageColumns = columns
  .map((column) => (column === "target_key" ? "m.target_key" : column))
  .join(", ");

/** The index of the first column after `messageColumns`. */
export const behindMessage = columns.length;

const at = Object.fromEntries(columns.map((column, index) => [column, index])) as Readonly<
  Record<Column, number>
>;

export function readStoredMessage(row: Values): StoredMessage {
  return {
    messageKey: row[at.message_key] as number,
    targetKey: row[at.target_key] as number,
    message: {
      messageId: formatMessageId(row[at.message_id] as Uint8Array),
      targetId: row[at.target_id] as string,
      state: messageStates[row[at.state] as number]!,
      version: row[at.version] as number,
      schedulingTime: row[at.scheduling_time] as number,
      originalDeliveryTime: row[at.original_delivery_time] as number,
      nextDeliveryTime: row[at.next_delivery_time] as number | null,
      lastDeliveryTime: row[at.last_delivery_time] as number | null,
      deadLetterTime: row[at.dead_letter_time] as number | null,
      cancellationTime: row[at.cancellation_time] as number | null,
      expirationTime: row[at.expiration_time] as number | null,
      deliveryFailureCount: row[at.delivery_failure_count] as number,
      attemptCount: row[at.attempt_count] as number,
      attemptsThisRound: row[at.attempts_this_round] as number,
      planningTime: row[at.planning_time] as number,
      endReason: row[at.end_reason] === null ? null : endReasons[row[at.end_reason] as number]!,
      options: row[at.options] === null ? null : JSON.parse(row[at.options] as string),
    },
  };
}
