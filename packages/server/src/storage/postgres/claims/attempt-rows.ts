import { attemptOutcomes } from "../../../domain/attempt.ts";
import type { Attempt } from "../../../domain/attempt.ts";
import { arrayLiteral } from "../array-literal.ts";

export interface KeptAttempt {
  /** Of the message's row. */
  readonly key: string;
  readonly attempt: Attempt;
}

export const attemptColumns =
  "message_id, number, start_time, end_time, outcome, status_code, error, response";

/** One array for each of `attemptColumns`. */
export function attemptRows(attempts: readonly KeptAttempt[]): unknown[] {
  return [
    arrayLiteral(attempts.map(({ key }) => key)),
    arrayLiteral(attempts.map(({ attempt }) => attempt.number)),
    arrayLiteral(attempts.map(({ attempt }) => attempt.startTime)),
    arrayLiteral(attempts.map(({ attempt }) => attempt.endTime)),
    arrayLiteral(attempts.map(({ attempt }) => attemptOutcomes.indexOf(attempt.outcome))),
    arrayLiteral(attempts.map(({ attempt }) => attempt.statusCode)),
    // PostgreSQL's text cannot hold NUL, and one such error must not undo a whole batch.
    attempts.map(({ attempt }) => attempt.error?.replaceAll("\0", "\uFFFD") ?? null),
    attempts.map(({ attempt }) => attempt.response && Buffer.from(attempt.response)),
  ];
}
