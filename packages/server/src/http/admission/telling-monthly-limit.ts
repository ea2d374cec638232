import type { FastifyReply } from "fastify";
import type { Caller } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { StoreUnavailable } from "../../operations/operations.ts";
import type { Operations } from "../../operations/operations.ts";
import { addRateLimit } from "./rate-limit-headers.ts";

/**
 * Schedules, and adds to the answer what the account has left of its monthly limit. It does so too if the
 * limit is the reason for a refusal.
 */
export function tellingMonthlyLimit<Answer>(
  operations: Pick<Operations, "getUsage">,
  caller: Caller,
  reply: FastifyReply,
  schedule: () => Promise<Answer>,
): Promise<Answer> {
  const { monthlyMessageLimit } = caller.account;
  return monthlyMessageLimit === null ? schedule() : tell(operations, caller, reply, schedule());
}

async function tell<Answer>(
  operations: Pick<Operations, "getUsage">,
  caller: Caller,
  reply: FastifyReply,
  scheduling: Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await scheduling;
    await addMonthlyLimit(operations, caller, reply);
    return answer;
  } catch (error) {
    if (isOverLimit(error)) await addMonthlyLimit(operations, caller, reply);
    throw error;
  }
}

async function addMonthlyLimit(
  operations: Pick<Operations, "getUsage">,
  caller: Caller,
  reply: FastifyReply,
): Promise<void> {
  try {
    const { limit, remaining, monthMs, resetInMs } = await operations.getUsage(caller);
    // The operator may have lifted the limit since the caller was looked up.
    if (limit === null || remaining === null) return;
    addRateLimit(reply, {
      policy: "messages",
      quota: limit,
      windowSeconds: monthMs / 1_000,
      remaining,
      resetSeconds: Math.ceil(resetInMs / 1_000),
    });
  } catch (error) {
    // The messages are scheduled. The answer must not fail because the usage cannot be read.
    if (!(error instanceof StoreUnavailable) && !(error instanceof RequestRefused)) throw error;
  }
}

function isOverLimit(error: unknown): boolean {
  return (
    error instanceof RequestRefused &&
    error.problems.some(({ code }) => code === codes.monthlyLimitReached)
  );
}
