import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { messageStates } from "../../domain/message.ts";
import type { TrackedMessage } from "../../domain/message.ts";
import { formatMessageId, parseMessageId } from "../../platform/message-ids.ts";
import type { MessageIdParts } from "../../platform/message-ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { MessageRef } from "../store.ts";
import type { Accounts } from "./accounts.ts";
import type { Transaction } from "./transaction.ts";

/**
 * The columns of a message without its payload, to be selected together with the target's id, as a list:
 * `readStoredMessage` takes them by their place.
 */
export const messageColumns = `
  message_key, message_id, m.target_key, target_id, state, version, scheduling_time,
  original_delivery_time, next_delivery_time, last_delivery_time, dead_letter_time,
  cancellation_time, expiration_time, delivery_failure_count, attempt_count, attempts_this_round,
  planning_time`;
export const messageColumnCount = 17;

export type Row = Record<string, SQLOutputValue>;

/** Of a statement that returns lists. */
export type Values = readonly SQLOutputValue[];

export interface StoredMessage {
  readonly messageKey: number;
  readonly targetKey: number;
  readonly message: TrackedMessage;
}

/** Reads and writes single messages; which change to make is the domain's business. */
export class MessageTable {
  readonly #accounts: Accounts;
  readonly #clock: Clock;
  readonly #transaction: Transaction;
  readonly #select;
  readonly #insert;
  readonly #update;
  readonly #delete;
  readonly #deleteAttempts;
  readonly #updatePending;
  #pending: number;
  #persistedPending: number;
  #counting = false;

  constructor(db: DatabaseSync, accounts: Accounts, clock: Clock, transaction: Transaction) {
    this.#accounts = accounts;
    this.#clock = clock;
    this.#transaction = transaction;
    this.#select = db.prepare(
      `SELECT ${messageColumns}, m.account_key FROM messages m JOIN targets USING (target_key)
       WHERE message_key = ?`,
    );
    this.#select.setReturnArrays(true);
    this.#insert = db.prepare(
      `INSERT INTO messages (message_key, message_id, account_key, target_key, state, version,
         scheduling_time, original_delivery_time, next_delivery_time, delivery_failure_count,
         attempt_count, attempts_this_round, planning_time, payload)
       VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7, ?7, 0, 0, 0, ?6, ?8)`,
    );
    this.#update = db.prepare(
      `UPDATE messages SET state = ?, version = ?, next_delivery_time = ?, last_delivery_time = ?,
         dead_letter_time = ?, cancellation_time = ?, expiration_time = ?,
         delivery_failure_count = ?, attempt_count = ?, attempts_this_round = ?, planning_time = ?
       WHERE message_key = ?`,
    );
    this.#delete = db.prepare("DELETE FROM messages WHERE message_key = ?");
    this.#deleteAttempts = db.prepare("DELETE FROM attempts WHERE message_key = ?");
    this.#updatePending = db.prepare("UPDATE counters SET value = ? WHERE name = 'pending'");
    const counted = db.prepare("SELECT value FROM counters WHERE name = 'pending'").get() as Row;
    this.#pending = counted["value"] as number;
    this.#persistedPending = this.#pending;
  }

  /** How many messages are SCHEDULED. Counted along, since counting ten million rows takes seconds. */
  get pending(): number {
    return this.#pending;
  }

  persistPending(): void {
    if (this.#pending === this.#persistedPending) return;
    this.#updatePending.run(this.#pending);
    const before = this.#persistedPending;
    this.#persistedPending = this.#pending;
    this.#transaction.onRollback(() => {
      this.#persistedPending = before;
    });
  }

  /** The message, where it exists, belongs to the account and has not expired. */
  find(ref: MessageRef): StoredMessage | undefined {
    const parts = parseMessageId(ref.messageId);
    const accountKey = this.#accounts.keyOf(ref.accountId);
    if (parts === undefined || accountKey === undefined) return undefined;
    const row = this.#select.get(parts.sequence) as Values | undefined;
    if (row === undefined || row[messageColumnCount] !== accountKey) return undefined;
    const stored = readStoredMessage(row);
    if (stored.message.messageId !== ref.messageId) return undefined;
    const { expirationTime } = stored.message;
    return expirationTime !== null && expirationTime <= this.#clock.now() ? undefined : stored;
  }

  /** A message as it is when it was just scheduled. */
  insert(
    id: MessageIdParts,
    owner: { readonly accountKey: number; readonly targetKey: number },
    message: TrackedMessage,
    payload: string,
  ): void {
    this.#insert.run(
      id.sequence,
      id.bytes,
      owner.accountKey,
      owner.targetKey,
      message.version,
      message.schedulingTime,
      message.originalDeliveryTime,
      payload,
    );
    this.#countPending(1);
  }

  update({ messageKey, message: before }: StoredMessage, message: TrackedMessage): void {
    this.#update.run(
      messageStates.indexOf(message.state),
      message.version,
      message.nextDeliveryTime,
      message.lastDeliveryTime,
      message.deadLetterTime,
      message.cancellationTime,
      message.expirationTime,
      message.deliveryFailureCount,
      message.attemptCount,
      message.attemptsThisRound,
      message.planningTime,
      messageKey,
    );
    this.#countPending(
      Number(message.state === "SCHEDULED") - Number(before.state === "SCHEDULED"),
    );
  }

  /** Together with its attempts. */
  remove(messageKey: number, wasScheduled: boolean): void {
    this.#deleteAttempts.run(messageKey);
    this.#delete.run(messageKey);
    if (wasScheduled) this.#countPending(-1);
  }

  #countPending(change: number): void {
    if (change === 0) return;
    if (!this.#counting) this.#beginCounting(this.#pending);
    this.#pending += change;
  }

  /** Once for all that share a commit. */
  #beginCounting(before: number): void {
    this.#counting = true;
    this.#transaction.afterCommit(() => {
      this.#counting = false;
    });
    this.#transaction.onRollback(() => {
      this.#counting = false;
      this.#pending = before;
    });
  }
}

export function readStoredMessage(row: Values): StoredMessage {
  return {
    messageKey: row[0] as number,
    targetKey: row[2] as number,
    message: {
      messageId: formatMessageId(row[1] as Uint8Array),
      targetId: row[3] as string,
      state: messageStates[row[4] as number]!,
      version: row[5] as number,
      schedulingTime: row[6] as number,
      originalDeliveryTime: row[7] as number,
      nextDeliveryTime: row[8] as number | null,
      lastDeliveryTime: row[9] as number | null,
      deadLetterTime: row[10] as number | null,
      cancellationTime: row[11] as number | null,
      expirationTime: row[12] as number | null,
      deliveryFailureCount: row[13] as number,
      attemptCount: row[14] as number,
      attemptsThisRound: row[15] as number,
      planningTime: row[16] as number,
    },
  };
}
