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

interface Membership {
  readonly nodeId: string;
  readonly held: Map<string, HeldMessage>;
  /** The generation of its claims: see `endGeneration`. */
  generation: number;
}

/**
 * The messages that this process has claimed and not yet recorded or given back, as they were when
 * claimed. While a claim stands, nobody else changes its message, so this process can write the
 * outcome without reading the message again. The database still checks the claim and the version.
 * This process reads a message that is not found here.
 */
export class HeldMessages {
  readonly #memberships = new Map<number, Membership>();

  /** Begins a membership. This node loses what its earlier memberships held. */
  begin({ nodeId, epoch }: Holder): void {
    for (const [earlier, membership] of this.#memberships) {
      if (membership.nodeId === nodeId) this.#memberships.delete(earlier);
    }
    this.#memberships.set(epoch, { nodeId, held: new Map(), generation: 0 });
  }

  end({ epoch }: Holder): void {
    this.#memberships.delete(epoch);
  }

  /** The current generation of claims. A claim that begins now belongs to it. */
  generationOf({ epoch }: Holder): number {
    return this.#memberships.get(epoch)?.generation ?? 0;
  }

  keep({ epoch }: Holder, held: HeldMessage): void {
    this.#memberships.get(epoch)?.held.set(held.message.messageId, held);
  }

  find({ epoch }: Holder, messageId: string): HeldMessage | undefined {
    return this.#memberships.get(epoch)?.held.get(messageId);
  }

  /** Drops an ended claim, but not a later claim of the same membership for the same message. */
  drop({ epoch }: Holder, ended: HeldMessage): void {
    const held = this.#memberships.get(epoch)?.held;
    const { messageId } = ended.message;
    if (held?.get(messageId) === ended) held.delete(messageId);
  }

  /**
   * Ends the generation and answers with every claim known by now. Later claims belong to the next
   * generation. Undefined if there is no such membership.
   */
  endGeneration({
    epoch,
  }: Holder): { readonly generation: number; readonly known: string[] } | undefined {
    const membership = this.#memberships.get(epoch);
    return (
      membership && { generation: membership.generation++, known: [...membership.held.keys()] }
    );
  }
}
