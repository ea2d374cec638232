import type { EndReason } from "./end-reason.ts";
import type { Instant } from "./instant.ts";
import type { MessageOptions } from "./message-options.ts";

export type { Instant } from "./instant.ts";

/** Stores keep a state by its index: append only. */
export const messageStates = ["SCHEDULED", "DELIVERED", "DEAD_LETTER", "CANCELLED"] as const;

export type MessageState = (typeof messageStates)[number];

/** A message as every caller sees it: the eleven fields of the specification, and what was set besides. */
export interface Message {
  readonly messageId: string;
  readonly targetId: string;
  readonly schedulingTime: Instant;
  readonly originalDeliveryTime: Instant;
  readonly state: MessageState;
  readonly deliveryFailureCount: number;
  readonly nextDeliveryTime: Instant | null;
  readonly lastDeliveryTime: Instant | null;
  readonly deadLetterTime: Instant | null;
  readonly cancellationTime: Instant | null;
  readonly expirationTime: Instant | null;
  /** Null for a message that ended otherwise, has not ended, or ended before reasons were kept. */
  readonly endReason: EndReason | null;
  /** Null for a plain message. */
  readonly options: MessageOptions | null;
}

/** The fields of a message that only the service sees. */
export interface TrackedMessage extends Message {
  /** Grows with every change. A result is accepted only for the version that was claimed. */
  readonly version: number;
  /** When `nextDeliveryTime` was last set. A message for the past counts as late only from then on. */
  readonly planningTime: Instant;
  /** The number of attempts on record. The next attempt has this number plus one. */
  readonly attemptCount: number;
  /** Attempts since the message was last scheduled or rescheduled: what the retry budget counts. */
  readonly attemptsThisRound: number;
}
