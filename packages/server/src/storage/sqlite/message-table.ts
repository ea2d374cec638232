import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { MessageState, TrackedMessage } from "../../domain/message.ts";
import { formatMessageId, parseMessageId } from "../../platform/message-ids.ts";
import type { MessageIdParts } from "../../platform/message-ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { MessageRef } from "../store.ts";
import type { Accounts } from "./accounts.ts";
import type { Transaction } from "./transaction.ts";

const states: readonly MessageState[] = ["SCHEDULED", "DELIVERED", "DEAD_LETTER", "CANCELLED"];

/** The columns of a message without its payload, to be selected together with the target's id. */
export const messageColumns = `
  message_key, message_id, m.target_key, target_id, state, version, scheduling_time,
  original_delivery_time, next_delivery_time, last_delivery_time, dead_letter_time,
  cancellation_time, expiration_time, delivery_failure_count, attempt_count, attempts_this_round,
  planning_time`;

export type Row = Record<string, SQLOutputValue>;

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

  constructor(db: DatabaseSync, accounts: Accounts, clock: Clock, transaction: Transaction) {
    this.#accounts = accounts;
    this.#clock = clock;
    this.#transaction = transaction;
    this.#select = db.prepare(
      `SELECT ${messageColumns}, m.account_key FROM messages m JOIN targets USING (target_key)
       WHERE message_key = ?`,
    );
    this.#insert = db.prepare(
      `INSERT INTO messages (message_key, message_id, account_key, target_key, state, version,
         scheduling_time, original_delivery_time, next_delivery_time, delivery_failure_count,
         attempt_count, attempts_this_round, planning_time, payload)
       VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, 0, 0, 0, ?, ?)`,
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
    const row = this.#select.get(parts.sequence);
    if (row === undefined || row["account_key"] !== accountKey) return undefined;
    const stored = readStoredMessage(row);
    if (stored.message.messageId !== ref.messageId) return undefined;
    const { expirationTime } = stored.message;
    return expirationTime !== null && expirationTime <= this.#clock.now() ? undefined : stored;
  }

  get(messageKey: number): StoredMessage | undefined {
    const row = this.#select.get(messageKey);
    return row === undefined ? undefined : readStoredMessage(row);
  }

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
      message.nextDeliveryTime,
      message.planningTime,
      payload,
    );
    this.#countPending(1);
  }

  update({ messageKey, message: before }: StoredMessage, message: TrackedMessage): void {
    this.#update.run(
      states.indexOf(message.state),
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
    this.#pending += change;
    this.#transaction.onRollback(() => {
      this.#pending -= change;
    });
  }
}

export function readStoredMessage(row: Row): StoredMessage {
  return {
    messageKey: row["message_key"] as number,
    targetKey: row["target_key"] as number,
    message: {
      messageId: formatMessageId(row["message_id"] as Uint8Array),
      targetId: row["target_id"] as string,
      schedulingTime: row["scheduling_time"] as number,
      originalDeliveryTime: row["original_delivery_time"] as number,
      state: states[row["state"] as number]!,
      deliveryFailureCount: row["delivery_failure_count"] as number,
      nextDeliveryTime: row["next_delivery_time"] as number | null,
      lastDeliveryTime: row["last_delivery_time"] as number | null,
      deadLetterTime: row["dead_letter_time"] as number | null,
      cancellationTime: row["cancellation_time"] as number | null,
      expirationTime: row["expiration_time"] as number | null,
      version: row["version"] as number,
      attemptCount: row["attempt_count"] as number,
      attemptsThisRound: row["attempts_this_round"] as number,
      planningTime: row["planning_time"] as number,
    },
  };
}
