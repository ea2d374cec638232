import type { TrackedMessage } from "../../domain/message.ts";
import type { Holder } from "../store.ts";

export interface HeldMessage {
  readonly targetKey: number;
  readonly message: TrackedMessage;
}

/**
 * What this process has claimed, as it was then. While a claim stands nobody else changes its message,
 * so the outcome can be written without reading the message again; the database checks claim and
 * version all the same. What is not found here is read.
 */
export class HeldMessages {
  readonly #held = new Map<string, HeldMessage>();
  #epoch = 0;

  keep(holder: Holder, targetKey: number, message: TrackedMessage): void {
    // What an earlier life of this process held is lost to it, recorded or not.
    if (holder.epoch !== this.#epoch) this.#held.clear();
    this.#epoch = holder.epoch;
    this.#held.set(message.messageId, { targetKey, message });
  }

  /** Each once: whoever takes it records it, or finds that it was not theirs any more. */
  take(holder: Holder, messageId: string): HeldMessage | undefined {
    if (holder.epoch !== this.#epoch) return undefined;
    const found = this.#held.get(messageId);
    this.#held.delete(messageId);
    return found;
  }
}
