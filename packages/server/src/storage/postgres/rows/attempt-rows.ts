import { attemptOutcomes } from "../../../domain/attempt.ts";
import type { Attempt } from "../../../domain/attempt.ts";
import type { Row } from "../connections/connections.ts";
import type { GivenColumns } from "./given-columns.ts";

export interface KeptAttempt {
  /** The key of the message's row. */
  readonly key: string;
  readonly attempt: Attempt;
}

export const attemptColumns: GivenColumns<KeptAttempt> = {
  message_id: { type: "uuid", of: ({ key }) => key },
  number: { type: "int", of: ({ attempt }) => attempt.number },
  start_time: { type: "bigint", of: ({ attempt }) => attempt.startTime },
  end_time: { type: "bigint", of: ({ attempt }) => attempt.endTime },
  outcome: { type: "smallint", of: ({ attempt }) => attemptOutcomes.indexOf(attempt.outcome) },
  status_code: { type: "int", of: ({ attempt }) => attempt.statusCode },
  // PostgreSQL's text cannot hold NUL, and one such error must not undo a whole batch.
  error: { type: "text", of: ({ attempt }) => attempt.error?.replaceAll("\0", "\uFFFD") ?? null },
  response: {
    type: "bytea",
    of: ({ attempt }) => attempt.response && Buffer.from(attempt.response),
  },
};

export function readAttempt(row: Row): Attempt {
  return {
    number: row["number"],
    startTime: row["start_time"],
    endTime: row["end_time"],
    outcome: attemptOutcomes[row["outcome"] as number]!,
    statusCode: row["status_code"],
    error: row["error"],
    response: (row["response"] as Buffer | null)?.toString("utf8") ?? null,
  };
}
