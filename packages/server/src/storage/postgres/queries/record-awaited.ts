import type { TrackedMessage } from "../../../domain/message.ts";
import type { NextStep } from "../../../domain/retry-policy.ts";
import { attempted } from "../../../domain/transitions.ts";
import type { RecordResult } from "../../store.ts";
import { attemptColumns, attemptRows } from "../claims/attempt-rows.ts";
import type { KeptAttempt } from "../claims/attempt-rows.ts";
import type { Run } from "../connections.ts";
import type { Context } from "../context.ts";
import { rowKeyOf, updateMessages } from "../message-rows.ts";
import type { HeldResult } from "./record-attempts.ts";
import { answerWaiting, applyWaiting, endClaims, lockClaims } from "./waiting-changes.ts";
import type { Answer, LockedClaim } from "./waiting-changes.ts";

/** A failure while a cancel or reschedule waits: it counts, and the waiting call says what comes next. */
const undecided: NextStep = { kind: "retry", delayMs: 0 };

/** Outcomes that somebody waits for, or whose messages are not at hand: read, decided, written. */
export function recordAwaited({ connections, retentionMs }: Context) {
  return (held: readonly HeldResult[]): Promise<RecordResult[]> =>
    connections.transaction(async (run) => {
      const found = await lockClaims(
        run,
        held.map(({ holder, result }) => ({ epoch: holder.epoch, messageId: result.messageId })),
      );
      const settle: Answer[] = [];
      const attempts: KeptAttempt[] = [];
      const changed: TrackedMessage[] = [];
      const ended: LockedClaim[] = [];
      const results = held.map(({ holder, result }): RecordResult => {
        const claim = found.get(`${holder.epoch}/${result.messageId}`);
        if (claim === undefined || claim.message.version !== result.version)
          return { kind: "stale" };
        const overruled = result.next.kind !== "delivered" && claim.waiting.length > 0;
        const next = overruled ? undecided : result.next;
        const { startTime } = result.attempt;
        const after = attempted(claim.message, { startTime, next }, claim.now, retentionMs);
        if (after === undefined) return { kind: "stale" };
        const { message, answers } = applyWaiting(claim, after, retentionMs);
        // A second result for the same claim, in the same batch, finds it ended.
        found.delete(`${holder.epoch}/${result.messageId}`);
        attempts.push({ key: rowKeyOf(result.messageId)!, attempt: result.attempt });
        changed.push(message);
        ended.push(claim);
        settle.push(...answers);
        return { kind: "recorded", message };
      });
      if (changed.length > 0) {
        await run(updateMessages(changed));
        await insertAttempts(run, attempts);
        await endClaims(run, ended);
        await answerWaiting(run, settle);
      }
      return results;
    });
}

async function insertAttempts(run: Run, attempts: readonly KeptAttempt[]): Promise<void> {
  await run({
    name: "insert-attempts",
    text: `INSERT INTO attempts (${attemptColumns})
      SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $5::smallint[],
        $6::int[], $7::text[], $8::bytea[])`,
    values: attemptRows(attempts),
  });
}
