import { fairShareOf } from "../../platform/fair-share.ts";
import { Reservation } from "./reservation.ts";
import type { CountedTarget } from "./reservation.ts";

/** An account may hold so many times what it leaves free for others. */
const accountShare = 8;
/** A target may hold so many times what it leaves free of its account's room. */
const targetShare = 1;

/**
 * The attempts that may run at once in this process. Accounts share that number first, and the targets of
 * an account share what the account has. Capacity and its reservations are the only owner of what is in
 * flight: no other part of the engine changes a count.
 *
 * Both levels use the dynamic threshold of shared-buffer switches: a holder may have as much as a
 * multiple of what it leaves free. One account alone gets eight ninths, two greedy ones get eight
 * seventeenths each, so another account still finds room. An account with nothing under way is given
 * one attempt even beyond the limit: the limit is exceeded only by one attempt for each such account,
 * and never doubled.
 */
export class Capacity {
  readonly #limit: number;
  readonly #onReleased: (taken: number) => void;
  readonly #heldByAccount = new Map<string, number>();
  #taken = 0;

  /** `onReleased` hears how much is taken each time that a slot or the rest of a reservation is released. */
  constructor(limit: number, onReleased: (taken: number) => void = () => {}) {
    this.#limit = limit;
    this.#onReleased = onReleased;
  }

  get taken(): number {
    return this.#taken;
  }

  /** How many more attempts the account may begin now. */
  roomFor(accountId: string): number {
    const held = this.#heldByAccount.get(accountId) ?? 0;
    const room = fairShareOf(this.#limit - this.#taken + held, accountShare) - held;
    const least = held === 0 && this.#taken < 2 * this.#limit ? 1 : 0;
    return Math.max(room, least);
  }

  /** As many of the wanted attempts as the target may begin now; undefined: none. */
  reserve(accountId: string, target: CountedTarget, wanted: number): Reservation | undefined {
    const { inFlight } = target;
    const room = this.roomFor(accountId);
    const least = inFlight === 0 ? Math.min(room, 1) : 0;
    const share = Math.max(fairShareOf(room + inFlight, targetShare) - inFlight, least);
    const size = Math.min(wanted, share);
    if (size <= 0) return undefined;
    this.#taken += size;
    this.#heldByAccount.set(accountId, (this.#heldByAccount.get(accountId) ?? 0) + size);
    return new Reservation({ accountId, target, size, giveBack: this.#giveBack });
  }

  readonly #giveBack = (accountId: string, count: number): void => {
    this.#taken -= count;
    const held = (this.#heldByAccount.get(accountId) ?? 0) - count;
    if (held > 0) this.#heldByAccount.set(accountId, held);
    else this.#heldByAccount.delete(accountId);
    this.#onReleased(this.#taken);
  };
}
