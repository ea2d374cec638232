import type { Attempt, AttemptReport } from "../../domain/attempt.ts";
import { decideNextStep } from "../../domain/retry-policy.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Random } from "../../platform/random.ts";
import type { AttemptResult, Claim } from "../../storage/store.ts";
import type { TargetKinds } from "../../targets/target-kind.ts";
import type { OpenTarget } from "./lane.ts";

export interface AttemptOptions {
  readonly kinds: TargetKinds;
  readonly clock: Clock;
  readonly random: Random;
}

export interface AttemptToMake {
  readonly target: OpenTarget;
  readonly claim: Claim;
  readonly startTime: number;
  /** Aborts when a stopping server can wait no longer. */
  readonly signal: AbortSignal;
}

/** One claim from send to decision: sent → report → what comes next. */
export async function attempt(
  { kinds, clock, random }: AttemptOptions,
  { target, claim, startTime, signal }: AttemptToMake,
): Promise<AttemptResult> {
  const startedAt = clock.monotonic();
  const report = await send();
  const elapsedMs = Math.round(clock.monotonic() - startedAt);
  const made: Attempt = {
    number: claim.attemptNumber,
    startTime,
    endTime: startTime + elapsedMs,
    outcome: report.outcome,
    statusCode: report.statusCode,
    error: report.error,
    response: report.response,
  };
  const next = decideNextStep({
    report,
    failures: kinds.find(target.kind)?.failures ?? {},
    policy: target.retryPolicy,
    attemptsThisRound: claim.attemptsThisRound + 1,
    random: random.fraction(),
  });
  return { messageId: claim.messageId, version: claim.version, attempt: made, next };

  async function send(): Promise<AttemptReport> {
    try {
      const answer = await kinds.get(target.kind).deliver({
        accountId: target.accountId,
        messageId: claim.messageId,
        targetId: target.targetId,
        settings: target.settings,
        secrets: target.secrets,
        payload: Buffer.from(claim.payload),
        attemptNumber: claim.attemptNumber,
        originalDeliveryTime: claim.originalDeliveryTime,
        startTime,
        signal,
      });
      // Whatever the target answered in time stands, whether or not we were stopping.
      const unanswered = answer.outcome !== "DELIVERED" && answer.statusCode === null;
      return signal.aborted && unanswered ? { ...answer, outcome: "INTERRUPTED" } : answer;
    } catch (error) {
      // A target kind must report and not throw; when one does, its message must not be stuck.
      return {
        outcome: "CONNECTION_FAILED",
        statusCode: null,
        error: `the attempt could not be made: ${error instanceof Error ? error.message : "unknown"}`,
        response: null,
        retryAfterMs: null,
      };
    }
  }
}
