import { messageStates } from "../../domain/message.ts";
import type { MessageState, TrackedMessage } from "../../domain/message.ts";
import { formatMessageId, parseMessageId } from "../../platform/message-ids.ts";
import type { Row } from "./connections.ts";

export function stateNumber(state: MessageState): number {
  return messageStates.indexOf(state);
}

/** What a message's own row says of it, apart from its target. */
export const ownColumns = [
  "message_id",
  "state",
  "version",
  "scheduling_time",
  "original_delivery_time",
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

/** What `readMessage` reads, of a row `m`; the target's id comes from wherever the query has it. */
export function messageColumns(targetId = "t.target_id"): string {
  const own = ownColumns.map((column) => `m.${column}`);
  return ["m.target_key", `${targetId} AS target_id`, ...own].join(", ");
}

export function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export const beforeEveryKey = "00000000-0000-0000-0000-000000000000";

/** The key of the row, or undefined for a text that is no id. */
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
  };
}

/** Writes back messages that have changed, whichever way. */
export function updateMessages(messages: readonly TrackedMessage[]) {
  return {
    name: "update-messages",
    text: `
      UPDATE messages m SET state = u.state, version = u.version,
        next_delivery_time = u.next_delivery_time, last_delivery_time = u.last_delivery_time,
        dead_letter_time = u.dead_letter_time, cancellation_time = u.cancellation_time,
        expiration_time = u.expiration_time, delivery_failure_count = u.delivery_failure_count,
        attempt_count = u.attempt_count, attempts_this_round = u.attempts_this_round,
        planning_time = u.planning_time
      FROM unnest($1::uuid[], $2::smallint[], $3::int[], $4::bigint[], $5::bigint[], $6::bigint[],
          $7::bigint[], $8::bigint[], $9::int[], $10::int[], $11::int[], $12::bigint[])
        AS u(message_id, state, version, next_delivery_time, last_delivery_time, dead_letter_time,
          cancellation_time, expiration_time, delivery_failure_count, attempt_count,
          attempts_this_round, planning_time)
      WHERE m.message_id = u.message_id`,
    values: [
      messages.map((message) => rowKeyOf(message.messageId)),
      messages.map((message) => stateNumber(message.state)),
      messages.map((message) => message.version),
      messages.map((message) => message.nextDeliveryTime),
      messages.map((message) => message.lastDeliveryTime),
      messages.map((message) => message.deadLetterTime),
      messages.map((message) => message.cancellationTime),
      messages.map((message) => message.expirationTime),
      messages.map((message) => message.deliveryFailureCount),
      messages.map((message) => message.attemptCount),
      messages.map((message) => message.attemptsThisRound),
      messages.map((message) => message.planningTime),
    ],
  };
}
