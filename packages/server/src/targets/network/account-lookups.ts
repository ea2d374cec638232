import type { NameStandings, Standing } from "./name-standings.ts";

/** A look-up that waits for its place. Several accounts may wait for the same one. */
export interface LookupJob {
  readonly hostname: string;
  /** Begins the look-up. The look-up calls `leave` at its end. */
  readonly run: (leave: () => void) => void;
}

const standings: readonly Standing[] = ["quick", "unknown", "slow"];

/**
 * The look-ups of one account, which has a share of the places. Within that share:
 *
 *   slow     names share one place, kept for them so that a name that has recovered can show it;
 *   unknown  names have about half of the other places, however many such names there are;
 *   quick    names have all of the other places.
 */
export class AccountLookups {
  readonly running = { quick: 0, unknown: 0, slow: 0 };
  readonly #waiting = {
    quick: new Set<LookupJob>(),
    unknown: new Set<LookupJob>(),
    slow: new Set<LookupJob>(),
  };
  readonly #names: NameStandings;

  constructor(names: NameStandings) {
    this.#names = names;
  }

  get runningCount(): number {
    return this.running.quick + this.running.unknown + this.running.slow;
  }

  get waitingCount(): number {
    const { quick, unknown, slow } = this.#waiting;
    return quick.size + unknown.size + slow.size;
  }

  add(job: LookupJob): void {
    this.#waiting[this.#names.of(job.hostname)].add(job);
  }

  remove(job: LookupJob): void {
    for (const standing of standings) this.#waiting[standing].delete(job);
  }

  /**
   * The job that may begin now, if the account has `share` places and only names of the `allowed`
   * standings may begin. The job keeps waiting until it is removed.
   */
  next(share: number, allowed: readonly Standing[] = standings): LookupJob | undefined {
    for (const standing of allowed) {
      for (const job of this.#waiting[standing]) {
        if (!this.#hasPlace(standing, share)) break;
        const now = this.#names.of(job.hostname);
        if (now === standing) return job;
        if (allowed.includes(now) && this.#hasPlace(now, share)) return job;
        // The name's standing has changed since the job began to wait.
        this.#waiting[standing].delete(job);
        this.#waiting[now].add(job);
      }
    }
    return undefined;
  }

  #hasPlace(standing: Standing, share: number): boolean {
    const { quick, unknown, slow } = this.running;
    const isFirst = quick + unknown + slow === 0;
    if (isFirst) return share > 0;
    if (standing === "slow") return slow === 0 && quick + unknown < share;
    const keptForSlow = Math.max(1, slow);
    if (quick + unknown + keptForSlow >= share) return false;
    return standing === "quick" || unknown + keptForSlow <= Math.ceil((share - 1) / 2);
  }
}
