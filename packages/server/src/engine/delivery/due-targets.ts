import type { Instant } from "../../domain/message.ts";
import type { NodeRole, Store } from "../../storage/store.ts";
import { foundByAllMs } from "../cluster/look-ahead.ts";
import type { Precedence } from "../cluster/precedence.ts";
import { Agenda } from "./agenda.ts";
import type { Due } from "./agenda.ts";
import type { EngineBounds } from "./bounds.ts";

export interface DueTargetsOptions {
  readonly store: Pick<Store, "clock">;
  readonly role: NodeRole;
  readonly precedence: Pick<Precedence, "delayMs">;
  readonly bounds: Pick<EngineBounds, "mostTaken">;
  /** Called with the instant at which this node looks at a target, by the store's clock. */
  readonly onNoted: (dueAt: Instant) => void;
}

const atOnce = -Infinity;

/**
 * Which targets have something due, and when this node looks at each. Every report of a due message
 * ends here. When every node knows of a message, this node leaves it for some milliseconds to the nodes
 * that come before it.
 */
export class DueTargets {
  readonly #options: DueTargetsOptions;
  readonly #agenda = new Agenda();

  constructor(options: DueTargetsOptions) {
    this.#options = options;
  }

  /** By the store's clock; Infinity: nothing is known to be due, now or later. */
  get nextDueAt(): Instant {
    return this.#agenda.nextDueAt ?? Infinity;
  }

  /** Takes due targets off the agenda, up to `mostTaken`. */
  take(): Due[] {
    const { store, bounds } = this.#options;
    return this.#agenda.takeDue(store.clock.now(), bounds.mostTaken);
  }

  /** This node scheduled a message. The other nodes also find it if it is far enough ahead. */
  noteOwn(accountId: string | null, targetKey: number, dueAt: Instant): void {
    const isKnownToAll = dueAt > this.#options.store.clock.now() + foundByAllMs;
    this.#note(accountId, targetKey, isKnownToAll ? this.#byPrecedence(targetKey, dueAt) : dueAt);
  }

  /** The message is in the store, where every node finds it. */
  noteKnownToAll(accountId: string | null, targetKey: number, dueAt: Instant): void {
    this.#note(accountId, targetKey, this.#byPrecedence(targetKey, dueAt));
  }

  /** The claim at `claimedAt` has left over a message that is due at `dueAt` by the store. */
  noteLeft(accountId: string | null, targetKey: number, dueAt: Instant, claimedAt: Instant): void {
    const now = this.#options.store.clock.now();
    // Our clock is ahead: by the store the message is not due yet, so we must not ask at once.
    const isAhead = dueAt > claimedAt && dueAt <= now;
    this.noteKnownToAll(accountId, targetKey, isAhead ? now + dueAt - claimedAt : dueAt);
  }

  noteAtOnce(accountId: string | null, targetKey: number): void {
    this.#note(accountId, targetKey, atOnce);
  }

  #note(accountId: string | null, targetKey: number, dueAt: Instant): void {
    // A node that only accepts messages does not deliver.
    if (this.#options.role === "api") return;
    this.#agenda.note(targetKey, accountId, dueAt);
    this.#options.onNoted(dueAt);
  }

  /** Every node may claim overdue messages at once. */
  #byPrecedence(targetKey: number, dueAt: Instant): Instant {
    const { store, precedence } = this.#options;
    const isOverdue = dueAt <= store.clock.now();
    return isOverdue ? dueAt : dueAt + precedence.delayMs(targetKey);
  }
}
