import type { Attempt } from "../../domain/attempt.ts";
import type { MessageState } from "../../domain/message.ts";

/** One finished attempt with everything there is to say of it, but for the payload. */
export interface AttemptEvent {
  readonly accountId: string;
  readonly targetId: string;
  readonly messageId: string;
  readonly attempt: Attempt;
  /** From the instant it was due to the start of the attempt. */
  readonly latenessMs: number;
  readonly payloadLength: number;
  /** What became of the message; "stale" where somebody else had decided already. */
  readonly became: MessageState | "stale";
  readonly retryDelayMs: number | null;
}

/** Hears what the engine does: metrics and the log. */
export interface DeliveryObserver {
  attemptStarted(latenessMs: number): void;
  attemptEnded(event: AttemptEvent): void;
  inFlight(count: number): void;
  trouble(error: unknown, doing: string): void;
}
