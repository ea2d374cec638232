import type { Attempt } from "../../domain/attempt.ts";
import type { MessageState } from "../../domain/message.ts";

/** One finished attempt with all its details, except the payload. */
export interface AttemptEvent {
  readonly accountId: string;
  readonly targetId: string;
  readonly targetKey: number;
  readonly messageId: string;
  readonly attempt: Attempt;
  /** From the instant the message was due to the start of the attempt. */
  readonly latenessMs: number;
  readonly payloadLength: number;
  /** The message's new state; "stale" when the message had been decided elsewhere before. */
  readonly became: MessageState | "stale";
  readonly retryDelayMs: number | null;
}

/** Hears what the engine does, for the metrics and the log. */
export interface DeliveryObserver {
  /** One call to the store has brought so many messages. */
  claimed(count: number): void;
  attemptStarted(latenessMs: number): void;
  attemptEnded(event: AttemptEvent): void;
  inFlight(count: number): void;
  trouble(error: unknown, doing: string): void;
}
