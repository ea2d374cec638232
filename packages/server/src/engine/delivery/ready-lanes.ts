import type { Lane } from "./lane.ts";

/** The lanes of one account that have something due and wait for their turn to claim it. */
export class AccountLanes {
  readonly accountId: string | null;
  /** How many lanes of the account are loading the copy of their target. */
  loading = 0;
  /** Lanes whose copy has just been loaded. */
  readonly #loaded = new Set<Lane>();
  /**
   * Lanes with nothing in flight. They come first, so a lane with one message does not wait behind
   * thousands.
   */
  readonly #unserved = new Set<Lane>();
  readonly #served = new Set<Lane>();

  constructor(accountId: string | null) {
    this.accountId = accountId;
  }

  get size(): number {
    return this.#loaded.size + this.#unserved.size + this.#served.size;
  }

  /** Copies that are loading or not used yet. */
  get preparing(): number {
    return this.loading + this.#loaded.size;
  }

  /** Adds the lane behind the others of its kind. */
  add(lane: Lane): void {
    lane.standing = "ready";
    if (lane.loaded !== undefined) this.#loaded.add(lane);
    else if (lane.inFlight === 0) this.#unserved.add(lane);
    else this.#served.add(lane);
  }

  /** The lane whose turn it is. */
  get first(): Lane | undefined {
    for (const lane of this.#loaded) return lane;
    for (const lane of this.#unserved) return lane;
    for (const lane of this.#served) return lane;
    return undefined;
  }

  remove(lane: Lane): void {
    if (this.#unserved.delete(lane) || this.#served.delete(lane)) return;
    this.#loaded.delete(lane);
  }

  /** The lane's last attempt ended while the lane waited. It moves to the lanes with nothing in flight. */
  unserve(lane: Lane): void {
    if (this.#served.delete(lane)) this.#unserved.add(lane);
  }
}

/** All lanes that have something due and wait for their turn, by account. */
export class ReadyLanes {
  /** In the order of their turns. */
  readonly #accounts = new Map<string | null, AccountLanes>();

  get isEmpty(): boolean {
    for (const account of this.#accounts.values()) if (account.size > 0) return false;
    return true;
  }

  add(lane: Lane): void {
    this.of(lane.accountId).add(lane);
  }

  of(accountId: string | null): AccountLanes {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      account = new AccountLanes(accountId);
      this.#accounts.set(accountId, account);
    }
    return account;
  }

  /** The accounts that have waiting lanes, in the order of their turns. */
  inTurn(): AccountLanes[] {
    const waiting: AccountLanes[] = [];
    for (const account of this.#accounts.values()) {
      if (account.size > 0) waiting.push(account);
      else if (account.loading === 0) this.#accounts.delete(account.accountId);
    }
    return waiting;
  }

  /** The account has had its turn. */
  toTheBack(account: AccountLanes): void {
    this.#accounts.delete(account.accountId);
    this.#accounts.set(account.accountId, account);
  }

  unserve(lane: Lane): void {
    this.#accounts.get(lane.accountId)?.unserve(lane);
  }

  /** The loaded copy of a ready lane is outdated. The lane waits among those without a copy. */
  unload(lane: Lane): void {
    lane.loaded = undefined;
    const account = this.of(lane.accountId);
    account.remove(lane);
    account.add(lane);
  }
}
