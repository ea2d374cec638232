import type { TrackedMessage } from "../../domain/message.ts";
import type { Holder } from "../store.ts";

export interface HeldMessage {
  readonly targetKey: number;
  readonly message: TrackedMessage;
}

interface Life {
  readonly nodeId: string;
  readonly held: Map<string, HeldMessage>;
}

/**
 * What this process has claimed and not yet recorded or given back, as it was when it was claimed. While
 * a claim stands nobody else changes its message, so the outcome can be written without reading the
 * message again; the database checks claim and version all the same. What is not found here is read.
 */
export class HeldMessages {
  readonly #lives = new Map<number, Life>();

  /** A life begins: what an earlier one of the same node held is lost to it. */
  begin({ nodeId, epoch }: Holder): void {
    for (const [earlier, life] of this.#lives) {
      if (life.nodeId === nodeId) this.#lives.delete(earlier);
    }
    this.#lives.set(epoch, { nodeId, held: new Map() });
  }

  end({ epoch }: Holder): void {
    this.#lives.delete(epoch);
  }

  keep({ epoch }: Holder, targetKey: number, message: TrackedMessage): void {
    this.#lives.get(epoch)?.held.set(message.messageId, { targetKey, message });
  }

  find({ epoch }: Holder, messageId: string): HeldMessage | undefined {
    return this.#lives.get(epoch)?.held.get(messageId);
  }

  /** Its claim has ended; not a later one, which the same life may have made of the message by now. */
  drop({ epoch }: Holder, ended: HeldMessage): void {
    const held = this.#lives.get(epoch)?.held;
    const { messageId } = ended.message;
    if (held?.get(messageId) === ended) held.delete(messageId);
  }

  /** Undefined where this process knows nothing of such a life. */
  all({ epoch }: Holder): string[] | undefined {
    const life = this.#lives.get(epoch);
    return life && [...life.held.keys()];
  }
}
