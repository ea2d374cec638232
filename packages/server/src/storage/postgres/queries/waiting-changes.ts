import type { EventMask } from "../../../domain/events/event-types.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import type { RequestedChange, SettledClaim } from "../../../domain/transitions.ts";
import { changeResult } from "../../change-result.ts";
import type { ChangeResult } from "../../store.ts";
import type { Row, Run } from "../connections/connections.ts";
import { changeColumns, readMessage, rowKeyOf } from "../rows/message-rows.ts";

interface WaitingChange extends RequestedChange {
  readonly changeId: number;
}

/** A claim that stands, its message, and the changes that wait for its outcome. */
export interface LockedClaim {
  readonly message: TrackedMessage;
  readonly targetKey: number;
  readonly eventMask: EventMask;
  readonly now: number;
  readonly waitingChanges: readonly WaitingChange[];
}

interface ClaimToLock {
  readonly epoch: number;
  readonly messageId: string;
}

const latestGeneration = 2 ** 31 - 1;

const lockStatement = `SELECT ${changeColumns()}, c.epoch, c.awaited, now_ms() AS now
  FROM unnest($1::uuid[], $2::bigint[]) AS u(message_id, epoch)
  JOIN messages m ON m.message_id = u.message_id
  JOIN claims c ON c.target_key = m.target_key AND c.message_id = m.message_id
    AND c.epoch = u.epoch AND c.round <= $3
  JOIN targets t ON t.target_key = m.target_key
  FOR UPDATE OF m, c`;

/**
 * Locks the claims that stand, in the order of their keys, so that no two batches wait for each
 * other in a circle. Leaves out claims of generations later than `until`.
 */
export async function lockClaims(
  run: Run,
  claims: readonly ClaimToLock[],
  until = latestGeneration,
): Promise<Map<string, LockedClaim>> {
  const keyed = claims
    .flatMap(({ epoch, messageId }) => {
      const key = rowKeyOf(messageId);
      return key === undefined ? [] : [{ epoch, key }];
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const rows = await run({
    name: "lock-claims",
    text: lockStatement,
    values: [keyed.map(({ key }) => key), keyed.map(({ epoch }) => epoch), until],
  });
  const marked = rows.filter((row) => row["awaited"]).map((row) => row["message_id"] as string);
  const waiting = await lockWaitingChanges(run, marked);
  const held = new Map<string, LockedClaim>();
  for (const row of rows) {
    const message = readMessage(row);
    held.set(`${row["epoch"]}/${message.messageId}`, {
      message,
      targetKey: row["target_key"],
      eventMask: row["event_mask"],
      now: row["now"],
      waitingChanges: waiting
        .filter((each) => each["message_id"] === row["message_id"])
        .map(changeOf)
        .toSorted((one, other) => one.changeId - other.changeId),
    });
  }
  return held;
}

function changeOf(row: Row): WaitingChange {
  const change = { changeId: row["change_id"], deliveryTime: row["delivery_time"] };
  return {
    ...change,
    ...(row["bound"] !== null && { bound: JSON.parse(row["bound"]) }),
    ...(row["while_scheduled"] && { whileScheduled: true }),
  };
}

/**
 * A separate statement, so that it sees every change that began to wait before the claim was
 * locked. Until the commit no call can take its change back, so each caller gets the decision.
 * Without ORDER BY: with it, the planner would search all waiting changes in that order.
 */
async function lockWaitingChanges(run: Run, keys: readonly string[]): Promise<Row[]> {
  if (keys.length === 0) return [];
  return run({
    name: "lock-waiting-changes",
    text: `SELECT change_id, message_id, delivery_time, bound, while_scheduled
      FROM waiting_changes
      WHERE message_id = ANY($1::uuid[]) AND answer IS NULL FOR UPDATE`,
    values: [keys],
  });
}

export interface Answer {
  readonly changeId: number;
  readonly result: ChangeResult;
}

export function answersOf(
  { targetKey }: LockedClaim,
  { answers }: SettledClaim<WaitingChange>,
): Answer[] {
  return answers.map(({ change: { changeId }, decision }) => ({
    changeId,
    result: changeResult(decision, targetKey),
  }));
}

/** Throws, and so undoes the decision, if one of the changes no longer waits. */
export async function answerWaitingChanges(run: Run, answers: readonly Answer[]): Promise<void> {
  if (answers.length === 0) return;
  const answered = await run({
    name: "answer-waiting-changes",
    text: `UPDATE waiting_changes w SET answer = u.answer
      FROM unnest($1::bigint[], $2::text[]) AS u(change_id, answer)
      WHERE w.change_id = u.change_id AND w.answer IS NULL RETURNING w.change_id`,
    values: [
      answers.map(({ changeId }) => changeId),
      answers.map(({ result }) => JSON.stringify(result)),
    ],
  });
  if (answered.length !== answers.length)
    throw new Error("A waiting change was withdrawn before it was answered");
}

export async function endClaims(run: Run, ended: readonly LockedClaim[]): Promise<void> {
  if (ended.length === 0) return;
  await run({
    name: "end-claims",
    text: `DELETE FROM claims c USING unnest($1::int[], $2::uuid[]) AS u(target_key, message_id)
      WHERE c.target_key = u.target_key AND c.message_id = u.message_id`,
    values: [
      ended.map(({ targetKey }) => targetKey),
      ended.map(({ message }) => rowKeyOf(message.messageId)),
    ],
  });
}
