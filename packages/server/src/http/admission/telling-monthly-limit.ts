import type { FastifyReply } from "fastify";
import type { Caller } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { StoreUnavailable } from "../../operations/operations.ts";
import type { Operations } from "../../operations/operations.ts";
import { addRateLimit } from "./rate-limit-headers.ts";

/**
 * Schedules, and tells in the answer what the account's monthly limit leaves: also where the limit is
 * why nothing was scheduled.
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
    // It may have been lifted since the caller was looked up.
    if (limit === null || remaining === null) return;
    addRateLimit(reply, {
      policy: "messages",
      quota: limit,
      windowSeconds: monthMs / 1_000,
      remaining,
      resetSeconds: Math.ceil(resetInMs / 1_000),
    });
  } catch (error) {
    // What is scheduled is scheduled, whether or not it can be told what is left.
    if (!(error instanceof StoreUnavailable) && !(error instanceof RequestRefused)) throw error;
  }
}

function isOverLimit(error: unknown): boolean {
  return (
    error instanceof RequestRefused &&
    error.problems.some(({ code }) => code === codes.monthlyLimitReached)
  );
}
