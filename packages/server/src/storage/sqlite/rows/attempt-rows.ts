import { attemptOutcomes } from "../../../domain/attempt.ts";
import type { Attempt } from "../../../domain/attempt.ts";
import { insertInto } from "./rows.ts";
import type { Row, ValuesOf } from "./rows.ts";

const columns = [
  "message_key",
  "number",
  "start_time",
  "end_time",
  "outcome",
  "status_code",
  "error",
  "response",
] as const;

export const insertAttempt = insertInto("attempts", columns);

/** The attempts at a message up to a number. */
export const deleteAttempts = "DELETE FROM attempts WHERE message_key = ? AND number <= ?";

export function attemptValues(messageKey: number, attempt: Attempt): ValuesOf<typeof columns> {
  return [
    messageKey,
    attempt.number,
    attempt.startTime,
    attempt.endTime,
    attemptOutcomes.indexOf(attempt.outcome),
    attempt.statusCode,
    attempt.error,
    attempt.response,
  ];
}

export function readAttempt(row: Row): Attempt {
  return {
    number: row["number"] as number,
    startTime: row["start_time"] as number,
    endTime: row["end_time"] as number,
    outcome: attemptOutcomes[row["outcome"] as number]!,
    statusCode: row["status_code"] as number | null,
    error: row["error"] as string | null,
    response: row["response"] as string | null,
  };
}
