import type { Attempt } from "../../domain/attempt.ts";
import type { Instant } from "../../domain/message.ts";
import type { Target } from "../../domain/target.ts";
import type { Claim } from "../../storage/store.ts";

export interface TracedAttempt {
  readonly target: Pick<Target, "accountId" | "targetId">;
  readonly claim: Claim;
  readonly startTime: Instant;
}

/** Hears of each attempt, if the service takes part in traces. */
export interface AttemptTracer {
  begin(attempt: TracedAttempt): AttemptTrace;
}

/** One attempt in a trace. */
export interface AttemptTrace {
  /** For the receiver, so that what it does belongs to the attempt. */
  readonly traceParent: string;
  ended(made: Attempt): void;
}
