import type { Clock } from "../../platform/clock.ts";
import type { Timer, Timers } from "../../platform/timers.ts";

/** How a name has answered lately; of one that is unknown, nothing can be said yet. */
type Standing = "quick" | "unknown" | "slow";

interface Mark {
  readonly standing: Standing;
  readonly since: number;
}

interface Job {
  readonly hostname: string;
  readonly run: (leave: () => void) => void;
}

interface Running {
  readonly hostname: string;
  standing: Standing;
}

export interface LookupPlacesOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** How many look-ups may run at once: at least two. */
  readonly count: number;
}

const slowAfterMs = 2_000;
const slowForMs = 10 * 60_000;
const mostMarks = 10_000;
const mostWaiting = 10_000;

/**
 * Who may look up a name now. A look-up holds a thread, cannot be stopped, and takes as long as the
 * name's own servers make it; so that names which do not answer cannot hold every thread,
 *
 *   slow     share one place, which is kept for them: who has recovered must be able to show it;
 *   unknown  have about half of the others, however many of them there are;
 *   quick    have all of the others.
 *
 * A look-up that has no answer after two seconds makes its name slow there and then: it takes the slow
 * ones' place, or where that is taken one of the unknown ones'. A look-up that is over sooner, with
 * whatever answer, makes it quick.
 */
export class LookupPlaces {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #timers: Timers;
  readonly #count: number;
  readonly #mostUnknown: number;
  /** The longest unused first. */
  readonly #marks = new Map<string, Mark>();
  readonly #running = { quick: 0, unknown: 0, slow: 0 };
  readonly #waiting = { quick: new Set<Job>(), unknown: new Set<Job>(), slow: new Set<Job>() };

  constructor({ clock, timers, count }: LookupPlacesOptions) {
    this.#clock = clock;
    this.#timers = timers;
    this.#count = count;
    this.#mostUnknown = Math.ceil((count - 1) / 2);
  }

  /** Runs the job when there is a place for its name; false where too many are waiting already. */
  enter(hostname: string, run: Job["run"]): boolean {
    const { quick, unknown, slow } = this.#waiting;
    if (quick.size + unknown.size + slow.size >= mostWaiting) return false;
    this.#waiting[this.#standingOf(hostname)].add({ hostname, run });
    this.#fill();
    return true;
  }

  /** Forgets who is waiting. */
  close(): void {
    for (const jobs of Object.values(this.#waiting)) jobs.clear();
  }

  #fill(): void {
    for (const standing of ["quick", "unknown", "slow"] as const) {
      for (const job of this.#waiting[standing]) {
        if (!this.#hasPlace(standing)) break;
        this.#waiting[standing].delete(job);
        const now = this.#standingOf(job.hostname);
        // Another look-up of the same name has meanwhile shown what it is like.
        if (now !== standing && !this.#hasPlace(now)) this.#waiting[now].add(job);
        else this.#start(job, now);
      }
    }
  }

  #hasPlace(standing: Standing): boolean {
    const { quick, unknown, slow } = this.#running;
    if (standing === "slow") return slow === 0;
    const keptForSlow = Math.max(1, slow);
    if (quick + unknown + keptForSlow >= this.#count) return false;
    return standing === "quick" || unknown + keptForSlow <= this.#mostUnknown;
  }

  #start({ hostname, run }: Job, standing: Standing): void {
    const running: Running = { hostname, standing };
    const startedAt = this.#clock.monotonic();
    this.#running[standing] += 1;
    const timer: Timer = this.#timers.after(slowAfterMs, () => {
      this.#mark(hostname, "slow");
      this.#running[running.standing] -= 1;
      running.standing = "slow";
      this.#running.slow += 1;
      this.#fill();
    });
    run(() => {
      timer.cancel();
      this.#running[running.standing] -= 1;
      const tookMs = this.#clock.monotonic() - startedAt;
      this.#mark(hostname, tookMs < slowAfterMs ? "quick" : "slow");
      this.#fill();
    });
  }

  #standingOf(hostname: string): Standing {
    const mark = this.#marks.get(hostname);
    if (mark === undefined) return "unknown";
    const isOver = mark.standing === "slow" && this.#clock.monotonic() >= mark.since + slowForMs;
    return isOver ? "unknown" : mark.standing;
  }

  #mark(hostname: string, standing: Standing): void {
    this.#marks.delete(hostname);
    this.#marks.set(hostname, { standing, since: this.#clock.monotonic() });
    if (this.#marks.size <= mostMarks) return;
    const [oldest] = this.#marks.keys();
    if (oldest !== undefined) this.#marks.delete(oldest);
  }
}
