import { attemptOutcomes } from "../../domain/attempt.ts";
import type { Attempt } from "../../domain/attempt.ts";

export interface KeptAttempt {
  /** Of the message's row. */
  readonly key: string;
  readonly attempt: Attempt;
}

export const attemptColumns =
  "message_id, number, start_time, end_time, outcome, status_code, error, response";

/** One array for each of `attemptColumns`. */
export function attemptRows(attempts: readonly KeptAttempt[]): unknown[][] {
  return [
    attempts.map(({ key }) => key),
    attempts.map(({ attempt }) => attempt.number),
    attempts.map(({ attempt }) => attempt.startTime),
    attempts.map(({ attempt }) => attempt.endTime),
    attempts.map(({ attempt }) => attemptOutcomes.indexOf(attempt.outcome)),
    attempts.map(({ attempt }) => attempt.statusCode),
    // PostgreSQL's text cannot hold NUL, and one such error must not undo a whole batch.
    attempts.map(({ attempt }) => attempt.error?.replaceAll("\0", "\uFFFD") ?? null),
    attempts.map(({ attempt }) => attempt.response && Buffer.from(attempt.response)),
  ];
}
