import { attemptOutcomes } from "../../../domain/attempt.ts";
import type { Attempt } from "../../../domain/attempt.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import type { NextStep } from "../../../domain/retry-policy.ts";
import { attempted } from "../../../domain/transitions.ts";
import type { AttemptResult, ChangeResult, Holder, RecordResult } from "../../store.ts";
import type { Query, Row } from "../connections.ts";
import type { Context } from "../context.ts";
import { messageColumns, readMessage, rowKeyOf, updateMessages } from "../message-rows.ts";
import { applyChange } from "./change-message.ts";

type Run = (query: Query) => Promise<Row[]>;

/** A failure while a cancel or reschedule waits: it counts, and the waiting call says what comes next. */
const undecided: NextStep = { kind: "retry", delayMs: 0 };

export interface HeldResult {
  readonly holder: Holder;
  readonly result: AttemptResult;
}

export function recordAttempts(context: Context) {
  const { connections, retentionMs } = context;
  return (held: readonly HeldResult[]): Promise<RecordResult[]> =>
    connections.transaction(async (run) => {
      const found = await lockHeld(
        run,
        held.map(({ holder, result }) => ({ epoch: holder.epoch, messageId: result.messageId })),
      );
      const settle: Answer[] = [];
      const attempts: KeptAttempt[] = [];
      const changed: TrackedMessage[] = [];
      const results = held.map(({ holder, result }): RecordResult => {
        const own = found.get(`${holder.epoch}/${result.messageId}`);
        if (own === undefined || own.message.version !== result.version) return { kind: "stale" };
        const overruled = result.next.kind !== "delivered" && own.waiting.length > 0;
        const next = overruled ? undecided : result.next;
        const { startTime } = result.attempt;
        const after = attempted(own.message, { startTime, next }, own.now, retentionMs);
        if (after === undefined) return { kind: "stale" };
        const { message, answers } = applyWaiting(own, after, retentionMs);
        // A second result for the same claim, in the same batch, finds it ended.
        found.delete(`${holder.epoch}/${result.messageId}`);
        attempts.push({ key: rowKeyOf(result.messageId)!, attempt: result.attempt });
        changed.push(message);
        settle.push(...answers);
        return { kind: "recorded", message };
      });
      if (changed.length > 0) {
        await run(updateMessages(changed));
        await run(insertAttempts(attempts));
        await endClaims(run, changed);
        await answerWaiting(run, settle);
      }
      return results;
    });
}

export function releaseClaims(context: Context) {
  const { connections, retentionMs } = context;
  return (holder: Holder, messageIds: readonly string[]): Promise<void> =>
    connections.transaction(async (run) => {
      const found = await lockHeld(
        run,
        messageIds.map((messageId) => ({ epoch: holder.epoch, messageId })),
      );
      const all = [...found.values()];
      const applied = all.map((own) => applyWaiting(own, own.message, retentionMs));
      const changed = applied.filter(({ answers }) => answers.length > 0);
      if (changed.length > 0) await run(updateMessages(changed.map(({ message }) => message)));
      if (all.length > 0)
        await endClaims(
          run,
          all.map(({ message }) => message),
        );
      await answerWaiting(
        run,
        changed.flatMap(({ answers }) => answers),
      );
    });
}

interface WaitingChange {
  readonly changeId: number;
  readonly deliveryTime: number | null;
}

interface Held {
  readonly message: TrackedMessage;
  readonly targetKey: number;
  readonly now: number;
  readonly waiting: readonly WaitingChange[];
}

/** The messages that are really held, locked in one order so that no two batches wait crosswise. */
async function lockHeld(
  run: Run,
  claims: readonly { readonly epoch: number; readonly messageId: string }[],
): Promise<Map<string, Held>> {
  const keyed = claims.flatMap(({ epoch, messageId }) => {
    const key = rowKeyOf(messageId);
    return key === undefined ? [] : [{ epoch, key }];
  });
  const keys = keyed.map(({ key }) => key);
  const rows = await run({
    name: "lock-held-messages",
    text: `SELECT ${messageColumns}, c.epoch, now_ms() AS now
      FROM unnest($1::uuid[], $2::bigint[]) AS u(message_id, epoch)
      JOIN claims c ON c.message_id = u.message_id AND c.epoch = u.epoch
      JOIN messages m ON m.message_id = u.message_id
      JOIN targets t ON t.target_key = m.target_key
      ORDER BY m.message_id FOR UPDATE OF m, c`,
    values: [keys, keyed.map(({ epoch }) => epoch)],
  });
  // A statement of its own: it sees every change that began to wait before the lock was had.
  const waiting = await run({
    name: "find-waiting-changes",
    text: `SELECT change_id, message_id, delivery_time FROM waiting_changes
      WHERE message_id = ANY($1::uuid[]) AND answer IS NULL ORDER BY change_id`,
    values: [keys],
  });
  const held = new Map<string, Held>();
  for (const row of rows) {
    const message = readMessage(row);
    held.set(`${row["epoch"]}/${message.messageId}`, {
      message,
      targetKey: row["target_key"],
      now: row["now"],
      waiting: waiting
        .filter((each) => each["message_id"] === row["message_id"])
        .map((each) => ({ changeId: each["change_id"], deliveryTime: each["delivery_time"] })),
    });
  }
  return held;
}

interface Answer {
  readonly changeId: number;
  readonly result: ChangeResult;
}

/** The calls that waited for the outcome have their say, in the order in which they came. */
function applyWaiting(
  { waiting, now, targetKey }: Held,
  message: TrackedMessage,
  retentionMs: number,
): { message: TrackedMessage; answers: Answer[] } {
  let current = message;
  const answers = waiting.map(({ changeId, deliveryTime }): Answer => {
    const changed = applyChange(current, deliveryTime, now, retentionMs);
    if (changed === undefined) return { changeId, result: { kind: "refused", message: current } };
    current = changed;
    return { changeId, result: { kind: "changed", message: changed, targetKey } };
  });
  return { message: current, answers };
}

async function answerWaiting(run: Run, answers: readonly Answer[]): Promise<void> {
  if (answers.length === 0) return;
  await run({
    name: "answer-waiting-changes",
    text: `UPDATE waiting_changes w SET answer = u.answer
      FROM unnest($1::bigint[], $2::text[]) AS u(change_id, answer)
      WHERE w.change_id = u.change_id`,
    values: [
      answers.map(({ changeId }) => changeId),
      answers.map(({ result }) => JSON.stringify(result)),
    ],
  });
}

async function endClaims(run: Run, messages: readonly TrackedMessage[]): Promise<void> {
  await run({
    name: "end-claims",
    text: "DELETE FROM claims WHERE message_id = ANY($1::uuid[])",
    values: [messages.map(({ messageId }) => rowKeyOf(messageId))],
  });
}

interface KeptAttempt {
  readonly key: string;
  readonly attempt: Attempt;
}

function insertAttempts(attempts: readonly KeptAttempt[]): Query {
  return {
    name: "insert-attempts",
    text: `INSERT INTO attempts (message_id, number, start_time, end_time, outcome, status_code,
        error, response)
      SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $5::smallint[],
        $6::int[], $7::text[], $8::bytea[])`,
    values: [
      attempts.map(({ key }) => key),
      attempts.map(({ attempt }) => attempt.number),
      attempts.map(({ attempt }) => attempt.startTime),
      attempts.map(({ attempt }) => attempt.endTime),
      attempts.map(({ attempt }) => attemptOutcomes.indexOf(attempt.outcome)),
      attempts.map(({ attempt }) => attempt.statusCode),
      attempts.map(({ attempt }) => attempt.error),
      attempts.map(({ attempt }) => attempt.response && Buffer.from(attempt.response)),
    ],
  };
}
