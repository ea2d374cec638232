/** Milliseconds since the Unix epoch, UTC. Text appears only at the edges. */
export type Instant = number;

/** Stores keep a state by its index: append only. */
export const messageStates = ["SCHEDULED", "DELIVERED", "DEAD_LETTER", "CANCELLED"] as const;

export type MessageState = (typeof messageStates)[number];

/** A message as every caller may see it: the eleven fields of the specification. */
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

/** What only the service itself knows of a message. */
export interface TrackedMessage extends Message {
  /** Grows with every change; a result is accepted only for the version it was claimed at. */
  readonly version: number;
  /** When `nextDeliveryTime` was last set: what is planned for the past is late only from then on. */
  readonly planningTime: Instant;
  /** Attempts on record; the next one is this plus one. */
  readonly attemptCount: number;
  /** Attempts since the message was last scheduled or rescheduled: what the retry budget counts. */
  readonly attemptsThisRound: number;
}
