import type { Lane } from "./lane.ts";

/** The lanes of one account that have something due and wait for their turn to claim it. */
export class AccountLanes {
  readonly accountId: string | null;
  /** How many of its lanes wait for the copies of their targets. */
  loading = 0;
  /** Those whose copy has just come. */
  readonly #loaded = new Set<Lane>();
  /** Those with nothing in flight: a lane with one message due is not behind a lane with thousands. */
  readonly #unserved = new Set<Lane>();
  readonly #served = new Set<Lane>();

  constructor(accountId: string | null) {
    this.accountId = accountId;
  }

  get size(): number {
    return this.#loaded.size + this.#unserved.size + this.#served.size;
  }

  /** Copies that are on their way or wait to be used. */
  get preparing(): number {
    return this.loading + this.#loaded.size;
  }

  /** To the end of the lanes that are like it. */
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

  /** The lane's last attempt has ended while it waited: it is now among those with nothing in flight. */
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

  /** The accounts with lanes that wait, in the order of their turns. */
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

  /** The copy that a ready lane was loaded with is old: it waits among those without one. */
  unload(lane: Lane): void {
    lane.loaded = undefined;
    const account = this.of(lane.accountId);
    account.remove(lane);
    account.add(lane);
  }
}
