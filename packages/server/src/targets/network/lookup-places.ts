import type { Clock } from "../../platform/clock.ts";
import { fairShareOf } from "../../platform/fair-share.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import { AccountLookups, type LookupJob } from "./account-lookups.ts";
import { NameStandings, type Standing } from "./name-standings.ts";

export type { LookupJob };

export interface LookupPlacesOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** How many look-ups may run at once: at least two. */
  readonly count: number;
}

const notSlow: readonly Standing[] = ["quick", "unknown"];
const onlyQuick: readonly Standing[] = ["quick"];

interface Turn {
  readonly accountId: string;
  readonly account: AccountLookups;
  readonly job: LookupJob;
  readonly place: keyof FreePlaces;
}

interface FreePlaces {
  common: number;
  reserved: number;
}

const slowAfterMs = 2_000;
const mostWaitingOfAnAccount = 10_000;
const shareOfReserved = 1 / 3;

/**
 * Decides which look-up may run now. A look-up holds a thread, cannot be stopped, and takes as long as the
 * name's own servers make it take. To keep one account's names from holding every thread, an account gets
 * at most half of the places that the others leave. The account with the fewest look-ups under way comes
 * next.
 *
 * The last third of the places is reserved for accounts with no look-up under way, one place each. A slow
 * name gets none of these, and neither does an unknown name of an account that had a slow one lately. So a
 * few accounts whose names hang cannot fill every place, and an account whose names answer finds one. Every
 * name may have one of the other places when its turn comes, however many of the reserved ones are taken.
 *
 * A look-up without an answer after two seconds makes its name slow at that moment. It moves to the place
 * that its account keeps for slow names or, if that is taken, counts among the unknown ones. A look-up that
 * ends sooner makes its name quick, whatever the answer.
 */
export class LookupPlaces {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #timers: Timers;
  readonly #count: number;
  readonly #free: FreePlaces;
  readonly #names: NameStandings;
  /** Which accounts had a slow name lately. */
  readonly #accountStandings: NameStandings;
  /** Accounts with a look-up that runs or waits. The account that had a place last comes last. */
  readonly #accounts = new Map<string, AccountLookups>();
  /** The accounts that wait for each job that has not begun. */
  readonly #waiting = new Map<LookupJob, Set<string>>();
  readonly #begun = new WeakSet<LookupJob>();

  constructor({ clock, timers, count }: LookupPlacesOptions) {
    this.#clock = clock;
    this.#timers = timers;
    this.#count = count;
    const reserved = Math.max(1, Math.floor(count * shareOfReserved));
    this.#free = { common: count - reserved, reserved };
    this.#names = new NameStandings(clock);
    this.#accountStandings = new NameStandings(clock);
  }

  /**
   * Runs the job when there is a place for it. Returns false if the account already has too many waiting.
   */
  enter(accountId: string, job: LookupJob): boolean {
    if (this.#begun.has(job)) return true;
    const account = this.#accounts.get(accountId) ?? new AccountLookups(this.#names);
    if (account.waitingCount >= mostWaitingOfAnAccount) return false;
    this.#accounts.set(accountId, account);
    account.add(job);
    const accountIds = this.#waiting.get(job);
    if (accountIds === undefined) this.#waiting.set(job, new Set([accountId]));
    else accountIds.add(accountId);
    this.#fill();
    return true;
  }

  /** Removes a job that nobody needs any more. Returns false if it has begun. */
  withdraw(job: LookupJob): boolean {
    const accountIds = this.#waiting.get(job);
    if (accountIds === undefined) return false;
    this.#waiting.delete(job);
    for (const accountId of accountIds) {
      this.#accounts.get(accountId)?.remove(job);
      this.#forgetIfIdle(accountId);
    }
    return true;
  }

  /** Forgets the jobs that wait. */
  close(): void {
    for (const job of this.#waiting.keys()) this.withdraw(job);
  }

  #fill(): void {
    while (this.#waiting.size > 0 && this.#runningCount < this.#count) {
      const turn = this.#nextTurn();
      if (turn === undefined) return;
      this.#begin(turn);
    }
  }

  /**
   * The account with the fewest look-ups under way. Among equals, the one that last got a place the longest
   * ago.
   */
  #nextTurn(): Turn | undefined {
    let next: Turn | undefined;
    for (const [accountId, account] of this.#accounts) {
      if (next !== undefined && next.account.runningCount <= account.runningCount) continue;
      const job = this.#nextOf(accountId, account);
      const place = this.#free.common > 0 ? "common" : "reserved";
      if (job !== undefined) next = { accountId, account, job, place };
      if (next?.account.runningCount === 0) break;
    }
    return next;
  }

  #nextOf(accountId: string, account: AccountLookups): LookupJob | undefined {
    if (this.#free.common > 0) return account.next(this.#shareOf(account));
    if (account.runningCount > 0) return undefined;
    const isSuspect = this.#accountStandings.of(accountId) === "slow";
    return account.next(1, isSuspect ? onlyQuick : notSlow);
  }

  /**
   * Half of what the others leave. An account alone with three places gets two, so that its slow names have
   * one of them.
   */
  #shareOf(account: AccountLookups): number {
    const left = this.#count - (this.#runningCount - account.runningCount);
    return Math.max(1, Math.min(2, left - 1), fairShareOf(left, 1));
  }

  get #runningCount(): number {
    return this.#count - this.#free.common - this.#free.reserved;
  }

  #begin({ accountId, account, job, place }: Turn): void {
    this.withdraw(job);
    this.#begun.add(job);
    this.#putLast(accountId, account);
    const { hostname } = job;
    const startedAt = this.#clock.monotonic();
    let standing: Standing = this.#names.of(hostname);
    account.running[standing] += 1;
    this.#free[place] -= 1;
    const timer: Timer = this.#timers.after(slowAfterMs, () => {
      this.#names.mark(hostname, "slow");
      this.#accountStandings.mark(accountId, "slow");
      account.running[standing] -= 1;
      standing = "slow";
      account.running.slow += 1;
      this.#fill();
    });
    job.run(() => {
      timer.cancel();
      account.running[standing] -= 1;
      this.#free[place] += 1;
      const tookMs = this.#clock.monotonic() - startedAt;
      this.#names.mark(hostname, tookMs < slowAfterMs ? "quick" : "slow");
      this.#putLast(accountId, account);
      this.#forgetIfIdle(accountId);
      this.#fill();
    });
  }

  #putLast(accountId: string, account: AccountLookups): void {
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, account);
  }

  #forgetIfIdle(accountId: string): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined || account.runningCount + account.waitingCount > 0) return;
    this.#accounts.delete(accountId);
  }
}
