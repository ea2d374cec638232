import type { Clock } from "../../platform/clock.ts";
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

interface Turn {
  readonly accountId: string;
  readonly account: AccountLookups;
  readonly job: LookupJob;
}

const slowAfterMs = 2_000;
const mostWaitingOfAnAccount = 10_000;

/**
 * Who may look up a name now. A look-up holds a thread, cannot be stopped, and takes as long as the
 * name's own servers make it. So that nobody's names can hold every thread, an account has at most
 * half of the places that the others leave, and one that has none under way needs only a free one.
 * Whoever has the fewest under way comes next.
 *
 * A look-up that has no answer after two seconds makes its name slow there and then: it takes the
 * place that its account keeps for slow names, or where that is taken one of the unknown ones'. A
 * look-up that is over sooner, with whatever answer, makes its name quick.
 */
export class LookupPlaces {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #timers: Timers;
  readonly #count: number;
  readonly #names: NameStandings;
  /** Those that have anything running or waiting; who had a place last comes last. */
  readonly #accounts = new Map<string, AccountLookups>();
  /** Who waits for each job that has not begun. */
  readonly #waiting = new Map<LookupJob, Set<string>>();
  readonly #begun = new WeakSet<LookupJob>();
  #runningCount = 0;

  constructor({ clock, timers, count }: LookupPlacesOptions) {
    this.#clock = clock;
    this.#timers = timers;
    this.#count = count;
    this.#names = new NameStandings(clock);
  }

  /** Runs the job when there is a place for it; false where the account has too many waiting already. */
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

  /** The job is wanted no more; false where it has begun. */
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

  /** Forgets who is waiting. */
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

  /** Whoever has the fewest under way; of several, whoever had a place the longest ago. */
  #nextTurn(): Turn | undefined {
    let next: Turn | undefined;
    for (const [accountId, account] of this.#accounts) {
      if (next !== undefined && next.account.runningCount <= account.runningCount) continue;
      const job = account.next(this.#shareOf(account));
      if (job !== undefined) next = { accountId, account, job };
      if (next?.account.runningCount === 0) break;
    }
    return next;
  }

  /** Half of what others leave. Of three places that is two, so that slow names have one of them. */
  #shareOf(account: AccountLookups): number {
    if (this.#runningCount >= this.#count) return 0;
    const left = this.#count - (this.#runningCount - account.runningCount);
    return Math.max(1, Math.min(2, left - 1), Math.floor(left / 2));
  }

  #begin({ accountId, account, job }: Turn): void {
    this.withdraw(job);
    this.#begun.add(job);
    this.#putLast(accountId, account);
    const { hostname } = job;
    const startedAt = this.#clock.monotonic();
    let standing: Standing = this.#names.of(hostname);
    account.running[standing] += 1;
    this.#runningCount += 1;
    const timer: Timer = this.#timers.after(slowAfterMs, () => {
      this.#names.mark(hostname, "slow");
      account.running[standing] -= 1;
      standing = "slow";
      account.running.slow += 1;
      this.#fill();
    });
    job.run(() => {
      timer.cancel();
      account.running[standing] -= 1;
      this.#runningCount -= 1;
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
