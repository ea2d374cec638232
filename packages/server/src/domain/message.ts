/** Milliseconds since the Unix epoch, UTC. Only the edges use text. */
export type Instant = number;

/** Stores keep a state by its index: append only. */
export const messageStates = ["SCHEDULED", "DELIVERED", "DEAD_LETTER", "CANCELLED"] as const;

export type MessageState = (typeof messageStates)[number];

/** A message as every caller sees it: the eleven fields of the specification. */
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
