import type { Clock } from "../../platform/clock.ts";

/**
 * How a name, or the names of an account, have answered lately. Unknown means that there is no answer to
 * judge by.
 */
export type Standing = "quick" | "unknown" | "slow";

interface Mark {
  readonly standing: Standing;
  readonly since: number;
}

const slowForMs = 10 * 60_000;
const mostMarks = 10_000;

/** Remembers how the names that were looked up lately have answered. */
export class NameStandings {
  readonly #clock: Pick<Clock, "monotonic">;
  /** The one unused for the longest time comes first. */
  readonly #marks = new Map<string, Mark>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  of(hostname: string): Standing {
    const mark = this.#marks.get(hostname);
    if (mark === undefined) return "unknown";
    const isOver = mark.standing === "slow" && this.#clock.monotonic() >= mark.since + slowForMs;
    return isOver ? "unknown" : mark.standing;
  }

  mark(hostname: string, standing: Standing): void {
    this.#marks.delete(hostname);
    this.#marks.set(hostname, { standing, since: this.#clock.monotonic() });
    if (this.#marks.size <= mostMarks) return;
    const [oldest] = this.#marks.keys();
    if (oldest !== undefined) this.#marks.delete(oldest);
  }
}
