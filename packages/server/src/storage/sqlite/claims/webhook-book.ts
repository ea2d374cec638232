import type { EventEndpointRef, Holder } from "../../store.ts";
import type { Transaction } from "../database/transaction.ts";
import type { JobBook } from "./job-book.ts";

/** Says which webhooks of events the node holds, in its membership of now. As with jobs, this needs no rows. */
export class WebhookBook {
  readonly #transaction: Transaction;
  readonly #members: Pick<JobBook, "isMember">;
  readonly #heldAt = new Map<string, number>();

  constructor(transaction: Transaction, members: Pick<JobBook, "isMember">) {
    this.#transaction = transaction;
    this.#members = members;
  }

  isMember(holder: Holder): boolean {
    return this.#members.isMember(holder);
  }

  holds(holder: Holder, ref: EventEndpointRef): boolean {
    return this.isMember(holder) && this.#heldAt.get(nameOf(ref)) === holder.epoch;
  }

  take({ epoch }: Holder, ref: EventEndpointRef): void {
    const name = nameOf(ref);
    this.#heldAt.set(name, epoch);
    this.#transaction.onRollback(() => this.#heldAt.delete(name));
  }

  /** It was removed. */
  forget(ref: EventEndpointRef): void {
    this.#heldAt.delete(nameOf(ref));
  }
}

function nameOf({ accountId, endpointId }: EventEndpointRef): string {
  return `${accountId}/${endpointId}`;
}
