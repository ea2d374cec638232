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
  /** Of its claims: see `endGeneration`. */
  generation: number;
}

/**
 * What this process has claimed and not yet recorded or given back, as it was when it was claimed. While
 * a claim stands nobody else changes its message, so the outcome can be written without reading the
 * message again; the database checks claim and version all the same. What is not found here is read.
 */
export class HeldMessages {
  readonly #memberships = new Map<number, Membership>();

  /** A membership begins: what an earlier one of the same node held is lost to it. */
  begin({ nodeId, epoch }: Holder): void {
    for (const [earlier, membership] of this.#memberships) {
      if (membership.nodeId === nodeId) this.#memberships.delete(earlier);
    }
    this.#memberships.set(epoch, { nodeId, held: new Map(), generation: 0 });
  }

  end({ epoch }: Holder): void {
    this.#memberships.delete(epoch);
  }

  /** Which generation of claims it is; a claim that is begun now belongs to it. */
  generationOf({ epoch }: Holder): number {
    return this.#memberships.get(epoch)?.generation ?? 0;
  }

  keep({ epoch }: Holder, held: HeldMessage): void {
    this.#memberships.get(epoch)?.held.set(held.message.messageId, held);
  }

  find({ epoch }: Holder, messageId: string): HeldMessage | undefined {
    return this.#memberships.get(epoch)?.held.get(messageId);
  }

  /** Its claim has ended; not a later one, which the same membership may have made of the message by now. */
  drop({ epoch }: Holder, ended: HeldMessage): void {
    const held = this.#memberships.get(epoch)?.held;
    const { messageId } = ended.message;
    if (held?.get(messageId) === ended) held.delete(messageId);
  }

  /**
   * What was claimed until now, with all that is known of it; claims that begin later are of the next
   * generation. Undefined: no such membership.
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
