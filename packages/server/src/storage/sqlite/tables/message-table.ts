import type { DatabaseSync } from "node:sqlite";
import type { MessageOptions } from "../../../domain/message-options.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import { parseMessageId } from "../../../platform/message-ids.ts";
import type { MessageIdParts } from "../../../platform/message-ids.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { MessageRef } from "../../store.ts";
import type { Accounts } from "./accounts.ts";
import {
  behindMessage,
  insertMessage,
  insertMessageWithOptions,
  isPlain,
  messageColumns,
  rareValues,
  readStoredMessage,
  updateMessage,
  updateRareColumns,
  updateValues,
} from "../rows/message-columns.ts";
import type { StoredMessage } from "../rows/message-columns.ts";
import type { Row, Values } from "../rows/rows.ts";
import type { Transaction } from "../database/transaction.ts";
import type { ChangeOccasion, EventLog } from "./events/event-log.ts";
import type { MovedRuns } from "./moved-runs.ts";
import { OptionTables } from "./option-tables.ts";

export interface MessageTableParts {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly transaction: Transaction;
  readonly movedRuns: MovedRuns;
  readonly events: EventLog;
}

/** Reads and writes single messages. The domain decides which change to make. */
export class MessageTable {
  readonly #accounts: Accounts;
  readonly #clock: Clock;
  readonly #transaction: Transaction;
  readonly #select;
  readonly #insert;
  readonly #insertWithOptions;
  readonly #update;
  readonly #updateRare;
  readonly #updateContent;
  readonly #delete;
  readonly #optionTables;
  readonly #movedRuns: MovedRuns;
  readonly #events: EventLog;
  readonly #deleteAttempts;
  readonly #updatePending;
  #pending: number;
  #persistedPending: number;
  #counting = false;

  constructor(
    db: DatabaseSync,
    { accounts, clock, transaction, movedRuns, events }: MessageTableParts,
  ) {
    this.#accounts = accounts;
    this.#clock = clock;
    this.#transaction = transaction;
    this.#movedRuns = movedRuns;
    this.#events = events;
    this.#select = db.prepare(
      `SELECT ${messageColumns}, m.account_key FROM messages m JOIN targets USING (target_key)
       WHERE message_key = ?`,
    );
    this.#select.setReturnArrays(true);
    this.#insert = db.prepare(insertMessage);
    this.#insertWithOptions = db.prepare(insertMessageWithOptions);
    this.#update = db.prepare(updateMessage);
    this.#updateRare = db.prepare(updateRareColumns);
    this.#updateContent = db.prepare(
      "UPDATE messages SET original_delivery_time = ?, payload = ? WHERE message_key = ?",
    );
    this.#delete = db.prepare(
      "DELETE FROM messages WHERE message_key = ? RETURNING account_key, target_key, options",
    );
    this.#delete.setReturnArrays(true);
    this.#optionTables = new OptionTables(db);
    this.#deleteAttempts = db.prepare("DELETE FROM attempts WHERE message_key = ?");
    this.#updatePending = db.prepare("UPDATE counters SET value = ? WHERE name = 'pending'");
    const counted = db.prepare("SELECT value FROM counters WHERE name = 'pending'").get() as Row;
    this.#pending = counted["value"] as number;
    this.#persistedPending = this.#pending;
  }

  /**
   * The number of SCHEDULED messages. It is kept up to date with each change, because counting ten
   * million rows takes seconds.
   */
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

  /** The message, if it exists, belongs to the account and has not expired. */
  find(ref: MessageRef): StoredMessage | undefined {
    const parts = parseMessageId(ref.messageId);
    const accountKey = this.#accounts.keyOf(ref.accountId);
    if (parts === undefined || accountKey === undefined) return undefined;
    const row = this.#select.get(parts.sequence) as Values | undefined;
    if (row === undefined || row[behindMessage] !== accountKey) return undefined;
    const stored = readStoredMessage(row);
    if (stored.message.messageId !== ref.messageId) return undefined;
    const { expirationTime } = stored.message;
    return expirationTime !== null && expirationTime <= this.#clock.now() ? undefined : stored;
  }

  /** By its own key, whoever it belongs to. */
  byKey(messageKey: number): StoredMessage {
    return readStoredMessage(this.#select.get(messageKey) as unknown as Values);
  }

  /** The same for a message that may be gone. */
  ifKept(messageKey: number): StoredMessage | undefined {
    const row = this.#select.get(messageKey) as Values | undefined;
    return row && readStoredMessage(row);
  }

  /**
   * Inserts a message that has just been scheduled. False, and nothing is written: another scheduled message has
   * its key.
   */
  insert(
    id: MessageIdParts,
    owner: { readonly accountKey: number; readonly targetKey: number },
    message: TrackedMessage,
    payload: string,
  ): boolean {
    const values = [
      id.sequence,
      id.bytes,
      owner.accountKey,
      owner.targetKey,
      message.version,
      message.schedulingTime,
      message.originalDeliveryTime,
      payload,
    ] as const;
    if (message.options === null) this.#insert.run(...values);
    else {
      const { accountKey, targetKey } = owner;
      const place = { accountKey, targetKey, messageKey: id.sequence };
      if (!this.#optionTables.insert(place, message)) return false;
      const options = JSON.stringify(message.options);
      this.#insertWithOptions.run(...values, message.nextDeliveryTime, options);
    }
    this.#countPending(1);
    if (this.#events.isOn) this.#events.messageScheduled(owner.targetKey, message);
    return true;
  }

  /** Its content stays. */
  update(stored: StoredMessage, message: TrackedMessage, occasion: ChangeOccasion): void {
    const { messageKey, targetKey, message: before } = stored;
    this.#update.run(...updateValues(message, messageKey));
    if (!isPlain(before) || !isPlain(message)) {
      this.#updateRare.run(...rareValues(message), messageKey);
      this.#optionTables.update(stored, before, message);
      this.#movedRuns.update(messageKey, before, message);
    }
    this.#countPending(
      Number(message.state === "SCHEDULED") - Number(before.state === "SCHEDULED"),
    );
    if (this.#events.isOn) this.#events.messageChanged(targetKey, before, message, occasion);
  }

  /** A scheduled message gets another content, under the same key. */
  replaceContent(
    { accountKey }: { readonly accountKey: number },
    { messageKey, targetKey, message: before }: StoredMessage,
    message: TrackedMessage,
    payload: string,
    { now }: Pick<ChangeOccasion, "now">,
  ): void {
    this.#update.run(...updateValues(message, messageKey));
    this.#updateRare.run(...rareValues(message), messageKey);
    this.#updateContent.run(message.originalDeliveryTime, payload, messageKey);
    this.#optionTables.replace({ accountKey, targetKey, messageKey }, before, message);
    if (this.#events.isOn) this.#events.messageReplacedInPlace(targetKey, message, now);
  }

  /** The scheduled message that has this key. */
  holderOf(targetKey: number, key: string): StoredMessage | undefined {
    const messageKey = this.#optionTables.holderOf(targetKey, key);
    return messageKey === undefined ? undefined : this.byKey(messageKey);
  }

  /** Removes its attempts as well. */
  remove(messageKey: number, wasScheduled: boolean): void {
    this.#deleteAttempts.run(messageKey);
    const removed = this.#delete.get(messageKey) as Values | undefined;
    if (removed?.[2] != null) {
      const [accountKey, targetKey, text] = removed as [number, number, string];
      const options = JSON.parse(text) as MessageOptions;
      this.#optionTables.remove({ accountKey, targetKey, messageKey }, options);
      if (options.schedule !== undefined) this.#movedRuns.remove(messageKey);
    }
    if (wasScheduled) this.#countPending(-1);
  }

  #countPending(change: number): void {
    if (change === 0) return;
    if (!this.#counting) this.#beginCounting(this.#pending);
    this.#pending += change;
  }

  /** Runs once for all calls that share a commit. */
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
