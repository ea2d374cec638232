import { forgottenUpTo } from "../../../domain/attempt.ts";
import { settleAttempt } from "../../../domain/transitions.ts";
import type { RecordResult } from "../../store.ts";
import { attemptColumns } from "../rows/attempt-rows.ts";
import type { KeptAttempt } from "../rows/attempt-rows.ts";
import type { HeldResult } from "../claims/held-messages.ts";
import type { Run } from "../connections/connections.ts";
import type { WorkContext } from "./context.ts";
import { arraysOf, namesOf, unnest } from "../rows/given-columns.ts";
import { rowKeyOf } from "../rows/message-rows.ts";
import { writeMessages } from "../rows/write-messages.ts";
import type { ChangedMessage } from "../rows/option-rows.ts";
import { answersOf, answerWaitingChanges, endClaims, lockClaims } from "./waiting-changes.ts";
import type { Answer, LockedClaim } from "./waiting-changes.ts";

/**
 * Records outcomes with waiting changes, of messages that this process does not hold, or that make
 * older attempts leave the record: reads, decides and writes each.
 */
export function recordWithWaitingChanges({ connections, retentionMs }: WorkContext) {
  return (held: readonly HeldResult[]): Promise<RecordResult[]> =>
    connections.transaction(async (run) => {
      const found = await lockClaims(
        run,
        held.map(({ holder, result }) => ({ epoch: holder.epoch, messageId: result.messageId })),
      );
      const answers: Answer[] = [];
      const attempts: KeptAttempt[] = [];
      const changed: ChangedMessage[] = [];
      const ended: LockedClaim[] = [];
      const results = held.map(({ holder, result }): RecordResult => {
        const claim = found.get(`${holder.epoch}/${result.messageId}`);
        if (claim === undefined || claim.message.version !== result.version)
          return { kind: "stale" };
        const end = { startTime: result.attempt.startTime, next: result.next };
        const { targetKey, eventMask, message: before, waitingChanges, now } = claim;
        const settled = settleAttempt(before, end, waitingChanges, now, retentionMs);
        if (settled === undefined) return { kind: "stale" };
        // A second result for the same claim in the same batch finds the claim ended.
        found.delete(`${holder.epoch}/${result.messageId}`);
        attempts.push({ key: rowKeyOf(result.messageId)!, attempt: result.attempt });
        const { attempt } = result;
        const decisions = settled.answers.map(({ decision }) => decision);
        const change = { targetKey, eventMask, now, before, after: settled.message };
        changed.push({ ...change, attempt, decisions });
        ended.push(claim);
        answers.push(...answersOf(claim, settled));
        return { kind: "recorded", message: settled.message };
      });
      if (changed.length > 0) {
        await writeMessages(run, changed);
        await insertAttempts(run, attempts);
        await forgetAttempts(run, attempts);
        await endClaims(run, ended);
        await answerWaitingChanges(run, answers);
      }
      return results;
    });
}

const insertStatement = `INSERT INTO attempts (${namesOf(attemptColumns)})
  SELECT * FROM ${unnest(attemptColumns)}`;

async function insertAttempts(run: Run, attempts: readonly KeptAttempt[]): Promise<void> {
  await run({
    name: "insert-attempts",
    text: insertStatement,
    values: arraysOf(attemptColumns, attempts),
  });
}

async function forgetAttempts(run: Run, recorded: readonly KeptAttempt[]): Promise<void> {
  for (const { key, attempt } of recorded) {
    const forgotten = forgottenUpTo(attempt.number);
    if (forgotten === undefined) continue;
    await run({
      name: "forget-attempts",
      text: "DELETE FROM attempts WHERE message_id = $1 AND number <= $2",
      values: [key, forgotten],
    });
  }
}
