import type { Attempt, AttemptReport } from "../../domain/attempt.ts";
import type { MessageOptions, SealedHeaders } from "../../domain/message-options.ts";
import { decideNextStep } from "../../domain/retry-policy.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Random } from "../../platform/random.ts";
import type { AttemptResult, Claim } from "../../storage/store.ts";
import type { Headers } from "../../targets/header-rules.ts";
import type { Overrides, TargetKinds } from "../../targets/target-kind.ts";
import type { AttemptTracer } from "./attempt-tracer.ts";
import type { OpenTarget } from "./lane.ts";

export interface AttemptOptions {
  readonly kinds: TargetKinds;
  readonly clock: Clock;
  readonly random: Random;
  readonly openHeaders: (headers: SealedHeaders) => Headers;
  /** Null: the service takes no part in traces. */
  readonly tracer: AttemptTracer | null;
}

export interface AttemptToMake {
  readonly target: OpenTarget;
  readonly claim: Claim;
  readonly startTime: number;
  /** Aborts when a stopping server can wait no longer. */
  readonly signal: AbortSignal;
}

/** One claim from sending to the decision: sent → report → next step. */
export async function attempt(
  { kinds, clock, random, openHeaders, tracer }: AttemptOptions,
  { target, claim, startTime, signal }: AttemptToMake,
): Promise<AttemptResult> {
  const startedAt = clock.monotonic();
  const trace = tracer === null ? null : tracer.begin({ target, claim, startTime });
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
  if (trace !== null) trace.ended(made);
  const next = decideNextStep({
    report,
    failures: kinds.find(target.kind)?.failures ?? {},
    policy: claim.options?.retryPolicy ?? target.retryPolicy,
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
        overrides: claim.options && overridesIn(claim.options),
        secrets: target.secrets,
        payload: Buffer.from(claim.payload),
        attemptNumber: claim.attemptNumber,
        originalDeliveryTime: claim.originalDeliveryTime,
        schedule: claim.options?.schedule ?? null,
        startTime,
        traceParent: trace === null ? null : trace.traceParent,
        signal,
      });
      // What the target answered in time stands, even if this process is stopping.
      const unanswered = answer.outcome !== "DELIVERED" && answer.statusCode === null;
      return signal.aborted && unanswered ? { ...answer, outcome: "INTERRUPTED" } : answer;
    } catch (error) {
      // A target kind must report a failure and not throw. If one throws, its message must not get
      // stuck.
      return {
        outcome: "CONNECTION_FAILED",
        statusCode: null,
        error: `the attempt could not be made: ${error instanceof Error ? error.message : "unknown"}`,
        response: null,
        retryAfterMs: null,
      };
    }
  }

  function overridesIn({ headers, contentType, timeoutMs }: MessageOptions): Overrides | null {
    if (headers === undefined && contentType === undefined && timeoutMs === undefined) return null;
    return { headers: headers && openHeaders(headers), contentType, timeoutMs };
  }
}
