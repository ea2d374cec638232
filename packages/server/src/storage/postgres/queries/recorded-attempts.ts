import { attemptOutcomes } from "../../../domain/attempt.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import type { AttemptResult } from "../../store.ts";
import type { WorkContext } from "./context.ts";
import { messageColumns, readMessage, rowKeyOf } from "../rows/message-rows.ts";

/**
 * Of these results, finds those whose attempts are on record, and answers with their messages. The
 * answer to a recording may be lost after it took effect. The second try then finds no claim, but
 * finds this. A message that has changed since is left out: it no longer shows what the attempt made
 * of it.
 */
export function recordedAttempts({ connections }: WorkContext) {
  return async (results: readonly AttemptResult[]): Promise<Map<string, TrackedMessage>> => {
    if (results.length === 0) return new Map();
    const attempts = results.map(({ attempt }) => attempt);
    const rows = await connections.query({
      name: "find-recorded-attempts",
      // Compares more than the number: another node that took over the claim may have made an
      // attempt with the same number.
      text: `SELECT ${messageColumns()}
        FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $5::smallint[], $6::int[])
          AS g(message_id, number, start_time, end_time, outcome, version)
        JOIN attempts a ON a.message_id = g.message_id AND a.number = g.number
          AND a.start_time = g.start_time AND a.end_time = g.end_time AND a.outcome = g.outcome
        JOIN messages m ON m.message_id = g.message_id AND m.version = g.version + 1
        JOIN targets t ON t.target_key = m.target_key`,
      values: [
        results.map(({ messageId }) => rowKeyOf(messageId)),
        attempts.map(({ number }) => number),
        attempts.map(({ startTime }) => startTime),
        attempts.map(({ endTime }) => endTime),
        attempts.map(({ outcome }) => attemptOutcomes.indexOf(outcome)),
        results.map(({ version }) => version),
      ],
    });
    return new Map(rows.map((row) => readMessage(row)).map((each) => [each.messageId, each]));
  };
}
