import type { TrackedMessage } from "../../../domain/message.ts";
import type { AttemptResult, Holder } from "../../store.ts";

/** The outcome of an attempt at a message that the holder has claimed. */
export interface HeldResult {
  readonly holder: Holder;
  readonly result: AttemptResult;
}

export interface HeldMessage {
  readonly targetKey: number;
  readonly message: TrackedMessage;
}

interface Life {
  readonly nodeId: string;
  readonly held: Map<string, HeldMessage>;
  round: number;
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
    this.#lives.set(epoch, { nodeId, held: new Map(), round: 0 });
  }

  end({ epoch }: Holder): void {
    this.#lives.delete(epoch);
  }

  /** Which round of claims it is; a claim that is begun now belongs to it. */
  roundOf({ epoch }: Holder): number {
    return this.#lives.get(epoch)?.round ?? 0;
  }

  keep({ epoch }: Holder, held: HeldMessage): void {
    this.#lives.get(epoch)?.held.set(held.message.messageId, held);
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

  /** Ends a round: what was claimed until now, with all that is known of it. Undefined: no such life. */
  endRound({ epoch }: Holder): { readonly round: number; readonly known: string[] } | undefined {
    const life = this.#lives.get(epoch);
    return life && { round: life.round++, known: [...life.held.keys()] };
  }
}
