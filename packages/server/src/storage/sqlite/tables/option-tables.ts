import type { DatabaseSync } from "node:sqlite";
import { searchTexts } from "../../../domain/message-options.ts";
import type { MessageOptions } from "../../../domain/message-options.ts";
import type { TrackedMessage } from "../../../domain/message.ts";

/** Where a row of a message belongs. */
export interface RowPlace {
  readonly accountKey: number;
  readonly targetKey: number;
  readonly messageKey: number;
}

/** By what messages with options are found: labels and, while they are scheduled, their keys and bounds. */
export class OptionTables {
  readonly #insertLabel;
  readonly #deleteLabel;
  readonly #insertBound;
  readonly #deleteBound;
  readonly #takeKey;
  readonly #deleteKey;
  readonly #selectKey;

  constructor(db: DatabaseSync) {
    this.#insertLabel = db.prepare("INSERT INTO message_labels VALUES (?, ?, ?)");
    this.#deleteLabel = db.prepare(
      "DELETE FROM message_labels WHERE account_key = ? AND label = ? AND message_key = ?",
    );
    this.#insertBound = db.prepare("INSERT INTO message_bounds VALUES (?, ?)");
    this.#deleteBound = db.prepare(
      "DELETE FROM message_bounds WHERE not_after = ? AND message_key = ?",
    );
    this.#takeKey = db.prepare("INSERT OR IGNORE INTO message_keys VALUES (?, ?, ?)");
    this.#deleteKey = db.prepare(
      "DELETE FROM message_keys WHERE target_key = ? AND key = ? AND message_key = ?",
    );
    this.#selectKey = db.prepare(
      "SELECT message_key FROM message_keys WHERE target_key = ? AND key = ?",
    );
  }

  /** The scheduled message that has this key. */
  holderOf(targetKey: number, key: string): number | undefined {
    return this.#selectKey.get(targetKey, key)?.["message_key"] as number | undefined;
  }

  /** False, and nothing is written: another scheduled message has its key. */
  insert(place: RowPlace, message: TrackedMessage): boolean {
    if (!this.#take(place, message)) return false;
    this.#insertLabels(place, message.options);
    return true;
  }

  /** Its labels have not changed. */
  update(place: Omit<RowPlace, "accountKey">, before: TrackedMessage, after: TrackedMessage): void {
    if (boundOf(before) === boundOf(after) && keyOf(before) === keyOf(after)) return;
    this.#giveUp(place, before);
    if (!this.#take(place, after)) throw new Error("another scheduled message has this key");
  }

  /** Its content was replaced, but not its key. */
  replace(place: RowPlace, before: TrackedMessage, after: TrackedMessage): void {
    this.#deleteLabels(place, before.options);
    this.#insertLabels(place, after.options);
    this.update(place, before, after);
  }

  remove(place: RowPlace, options: MessageOptions): void {
    this.#deleteLabels(place, options);
    const { notAfter, key } = options;
    if (notAfter !== undefined) this.#deleteBound.run(notAfter, place.messageKey);
    if (key !== undefined) this.#deleteKey.run(place.targetKey, key, place.messageKey);
  }

  #insertLabels({ accountKey, messageKey }: RowPlace, options: MessageOptions | null): void {
    for (const label of searchTexts(options)) this.#insertLabel.run(accountKey, label, messageKey);
  }

  #deleteLabels({ accountKey, messageKey }: RowPlace, options: MessageOptions | null): void {
    for (const label of searchTexts(options)) this.#deleteLabel.run(accountKey, label, messageKey);
  }

  #take({ targetKey, messageKey }: Omit<RowPlace, "accountKey">, message: TrackedMessage): boolean {
    const key = keyOf(message);
    if (key !== undefined && this.#takeKey.run(targetKey, key, messageKey).changes === 0)
      return false;
    const bound = boundOf(message);
    if (bound !== undefined) this.#insertBound.run(bound, messageKey);
    return true;
  }

  #giveUp({ targetKey, messageKey }: Omit<RowPlace, "accountKey">, message: TrackedMessage): void {
    const [bound, key] = [boundOf(message), keyOf(message)];
    if (bound !== undefined) this.#deleteBound.run(bound, messageKey);
    if (key !== undefined) this.#deleteKey.run(targetKey, key, messageKey);
  }
}

function boundOf({ state, options }: TrackedMessage): number | undefined {
  return state === "SCHEDULED" ? options?.notAfter : undefined;
}

function keyOf({ state, options }: TrackedMessage): string | undefined {
  return state === "SCHEDULED" ? options?.key : undefined;
}
