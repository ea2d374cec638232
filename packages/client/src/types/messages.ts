import type { ErrorObject } from "./errors.ts";
import type { GivenRetryPolicy, RetryPolicy } from "./targets.ts";

/**
 * `SCHEDULED`: it waits for its next delivery attempt. `DELIVERED`: the target accepted it.
 * `DEAD_LETTER`: it could not be delivered and is not attempted any more. `CANCELLED`: it was cancelled
 * before it was delivered.
 */
export type MessageState = "SCHEDULED" | "DELIVERED" | "DEAD_LETTER" | "CANCELLED";

/**
 * `ATTEMPTS_EXHAUSTED`: its retry policy allows no further attempt. `FINAL_ANSWER`: the target answered 410, or
 * a status that the policy calls final. `ADDRESS_REFUSED`: the target's address is not allowed. `NOT_AFTER`: its
 * `notAfter` came first. `REJECTED`: it could not be sent to this target at all.
 */
export type DeadLetterReason =
  | "ATTEMPTS_EXHAUSTED"
  | "FINAL_ANSWER"
  | "ADDRESS_REFUSED"
  | "NOT_AFTER"
  | "REJECTED";

/**
 * What became of a message with a `key`. `created`: the key was free. `kept`: another message has it.
 * `replaced`, `debounced`: this one took its place.
 */
export type KeyOutcome = "created" | "kept" | "replaced" | "debounced";

/** What a message may set besides its target, time and payload. */
export interface MessageOptions {
  /** One scheduled message of a target at most has it. */
  key?: string;
  /** What to do if another scheduled message has the `key`; `reject` by default. */
  onConflict?: "reject" | "keep" | "replace" | "replaceKeepTime" | "debounce";
  /** Sets the time, with `onConflict: "debounce"`: when nothing more came for `quietMs`. */
  debounce?: { quietMs: number; maxWaitMs?: number };
  /** Up to 8 names of your own to find messages by. */
  labels?: Record<string, string>;
  /** Instead of the target's. */
  retryPolicy?: GivenRetryPolicy;
  /** No attempt starts at or after it. */
  notAfter?: string;
  /** The same, counted from the delivery time. */
  notAfterMs?: number;
  /** Besides the target's. The values are stored sealed and never shown. */
  headers?: Record<string, string>;
  /** Instead of the target's. */
  contentType?: string;
  timeoutMs?: number;
  /** Spreads messages over so long after their delivery time. */
  flexWindowMs?: number;
}

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
  deadLetterReason?: DeadLetterReason;
  /** Another message has taken its place: one with its `key`, or the next run of its schedule. */
  cancellationReason?: "REPLACED";
  key?: string;
  labels?: Record<string, string>;
  retryPolicy?: RetryPolicy;
  notAfter?: string;
  notAfterMs?: number;
  /** Their values are never shown: each is `"set"`. */
  headers?: Record<string, string>;
  contentType?: string;
  timeoutMs?: number;
  flexWindowMs?: number;
  /** The recurring schedule that has made it. */
  scheduleId?: string;
  /** The run of that schedule. */
  runTime?: string;
}

/** A message as a call that schedules it answers. */
export interface ScheduledMessage extends Message {
  /** Present if it has a `key`. */
  keyOutcome?: KeyOutcome;
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
export interface BatchMessage extends MessageOptions {
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
  /** Present if the item has a `key`. */
  keyOutcome?: KeyOutcome;
}
