import { fairShareOf } from "../../platform/fair-share.ts";

/** Who asks for capacity: a target, as its lane knows it. */
interface Claimant {
  readonly accountId: string;
  readonly inFlight: number;
}

/** An account may hold so many times what it leaves free for others. */
const accountShare = 8;
/** A target may hold so many times what it leaves free of its account's room. */
const targetShare = 1;

/**
 * The attempts that may run at once in this process: the one owner of that number. Accounts share it
 * first, and the targets of an account share what the account has.
 *
 * Both levels use the dynamic threshold of shared-buffer switches: a holder may have as much as a
 * multiple of what it leaves free. One account alone gets eight ninths, two greedy ones get eight
 * seventeenths each, so another account still finds room. An account with nothing under way is given
 * one attempt even beyond the limit: the limit is exceeded only by one attempt for each such account,
 * and never doubled.
 */
export class Capacity {
  readonly #limit: number;
  readonly #heldByAccount = new Map<string, number>();
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
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

  /** Takes as many of the wanted attempts as the target may begin now, and says how many. */
  reserve({ accountId, inFlight }: Claimant, wanted: number): number {
    const room = this.roomFor(accountId);
    const least = inFlight === 0 ? Math.min(room, 1) : 0;
    const share = Math.max(fairShareOf(room + inFlight, targetShare) - inFlight, least);
    const granted = Math.min(wanted, share);
    if (granted <= 0) return 0;
    this.#taken += granted;
    this.#heldByAccount.set(accountId, (this.#heldByAccount.get(accountId) ?? 0) + granted);
    return granted;
  }

  release(accountId: string, count: number): void {
    if (count === 0) return;
    this.#taken -= count;
    const left = this.#heldByAccount.get(accountId)! - count;
    if (left > 0) this.#heldByAccount.set(accountId, left);
    else this.#heldByAccount.delete(accountId);
  }
}
