import type { DatabaseSync } from "node:sqlite";
import { labelTexts } from "../../../domain/message-options.ts";
import type { MessageOptions } from "../../../domain/message-options.ts";
import type { TrackedMessage } from "../../../domain/message.ts";

/** By what messages with options are found: their labels, and the bounds of those that are scheduled. */
export class OptionTables {
  readonly #insertLabel;
  readonly #deleteLabel;
  readonly #insertBound;
  readonly #deleteBound;

  constructor(db: DatabaseSync) {
    this.#insertLabel = db.prepare("INSERT INTO message_labels VALUES (?, ?, ?)");
    this.#deleteLabel = db.prepare(
      "DELETE FROM message_labels WHERE account_key = ? AND label = ? AND message_key = ?",
    );
    this.#insertBound = db.prepare("INSERT INTO message_bounds VALUES (?, ?)");
    this.#deleteBound = db.prepare(
      "DELETE FROM message_bounds WHERE not_after = ? AND message_key = ?",
    );
  }

  insert(accountKey: number, messageKey: number, message: TrackedMessage): void {
    for (const label of labelTexts(message.options)) {
      this.#insertLabel.run(accountKey, label, messageKey);
    }
    const bound = boundOf(message);
    if (bound !== undefined) this.#insertBound.run(bound, messageKey);
  }

  /** Labels never change. */
  update(messageKey: number, before: TrackedMessage, message: TrackedMessage): void {
    const [from, to] = [boundOf(before), boundOf(message)];
    if (from === to) return;
    if (from !== undefined) this.#deleteBound.run(from, messageKey);
    if (to !== undefined) this.#insertBound.run(to, messageKey);
  }

  remove(accountKey: number, messageKey: number, options: MessageOptions): void {
    for (const label of labelTexts(options)) this.#deleteLabel.run(accountKey, label, messageKey);
    if (options.notAfter !== undefined) this.#deleteBound.run(options.notAfter, messageKey);
  }
}

function boundOf({ state, options }: TrackedMessage): number | undefined {
  return state === "SCHEDULED" ? options?.notAfter : undefined;
}
