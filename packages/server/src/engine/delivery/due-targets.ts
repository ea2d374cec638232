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
  /** This node looks at a target at this instant, by the store's clock. */
  readonly onNoted: (dueAt: Instant) => void;
}

const atOnce = -Infinity;

/**
 * Which targets have something due, and when this node looks at each. All news of that ends here. Where
 * every node knows of a message, this one leaves it to those that come before it, for some milliseconds.
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

  /** Takes off the agenda what is due by now, or as much of it as is bearable in one go. */
  take(): Due[] {
    const { store, bounds } = this.#options;
    return this.#agenda.takeDue(store.clock.now(), bounds.mostTaken);
  }

  /** This node scheduled something. What is far enough ahead is found by the other nodes too. */
  noteOwn(accountId: string | null, targetKey: number, dueAt: Instant): void {
    const isKnownToAll = dueAt > this.#options.store.clock.now() + foundByAllMs;
    this.#note(accountId, targetKey, isKnownToAll ? this.#byPrecedence(targetKey, dueAt) : dueAt);
  }

  /** The store holds this: every node knows of it. */
  noteKnownToAll(accountId: string | null, targetKey: number, dueAt: Instant): void {
    this.#note(accountId, targetKey, this.#byPrecedence(targetKey, dueAt));
  }

  /** A claim at `claimedAt` has left something over that the store holds to be due at `dueAt`. */
  noteLeft(accountId: string | null, targetKey: number, dueAt: Instant, claimedAt: Instant): void {
    const now = this.#options.store.clock.now();
    // What was not yet due to the store must not be asked for at once, though our clock is ahead.
    const isAhead = dueAt > claimedAt && dueAt <= now;
    this.noteKnownToAll(accountId, targetKey, isAhead ? now + dueAt - claimedAt : dueAt);
  }

  noteAtOnce(accountId: string | null, targetKey: number): void {
    this.#note(accountId, targetKey, atOnce);
  }

  #note(accountId: string | null, targetKey: number, dueAt: Instant): void {
    // A node that only accepts messages leaves delivering to others.
    if (this.#options.role === "api") return;
    this.#agenda.note(targetKey, accountId, dueAt);
    this.#options.onNoted(dueAt);
  }

  /** What is overdue is everybody's at once. */
  #byPrecedence(targetKey: number, dueAt: Instant): Instant {
    const { store, precedence } = this.#options;
    const isOverdue = dueAt <= store.clock.now();
    return isOverdue ? dueAt : dueAt + precedence.delayMs(targetKey);
  }
}
