import type { ErrorObject } from "./errors.ts";

/**
 * `SCHEDULED`: it waits for its next delivery attempt. `DELIVERED`: the target accepted it.
 * `DEAD_LETTER`: it could not be delivered and is not attempted any more. `CANCELLED`: it was cancelled
 * before it was delivered.
 */
export type MessageState = "SCHEDULED" | "DELIVERED" | "DEAD_LETTER" | "CANCELLED";

/** A message. Times are UTC with milliseconds: `2026-11-14T09:30:00.000Z`. */
export interface Message {
  messageId: string;
  targetId: string;
  /** When the message was scheduled. */
  schedulingTime: string;
  /** The delivery time that it was first scheduled for. */
  originalDeliveryTime: string;
  state: MessageState;
  /** How many delivery attempts have failed. */
  deliveryFailureCount: number;
  /** When the next attempt is due; null unless `SCHEDULED`. */
  nextDeliveryTime: string | null;
  /** When the latest attempt began; null before the first. */
  lastDeliveryTime: string | null;
  /** When it became a dead letter. */
  deadLetterTime: string | null;
  /** When it was cancelled. */
  cancellationTime: string | null;
  /** When it is removed from the service; null while `SCHEDULED`. */
  expirationTime: string | null;
}

/** One attempt to deliver a message. */
export interface Attempt {
  /** 1 for the first attempt at a message. */
  number: number;
  startTime: string;
  endTime: string;
  /** `DELIVERED`, or how it failed, such as `BAD_STATUS` or `TIMEOUT`. */
  outcome: string;
  /** The status of the target's answer; null if it did not answer. */
  statusCode: number | null;
  /** What went wrong, as text for people; null if the message was delivered. */
  error: string | null;
  /** The beginning of the target's answer. Only `scheduler.all.*` shows it, otherwise null. */
  response: string | null;
}

/** A message of a raw batch, as it travels. Give exactly one of `deliveryTime` and `delayMs`. */
export interface BatchMessage {
  targetId: string;
  deliveryTime?: string;
  delayMs?: number;
  payload: string;
  /** As the `Idempotency-Key` of a single call. Then the batch as a whole has none. */
  idempotencyKey?: string;
}

/** The result of one item of a raw batch: `message`, or `errors` if it was refused. */
export interface BatchResult {
  message?: Message;
  errors?: ErrorObject[];
  /** Present if the item's `idempotencyKey` was used before: this is the first answer again. */
  replayed?: true;
}
