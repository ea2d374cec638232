import type { RunningPart } from "../../platform/running-parts.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import type { ScheduleStore } from "../../storage/schedule-store.ts";
import type { Membership } from "../cluster/membership.ts";
import { pauseAfterFailures } from "../../platform/pause-after-failures.ts";
import type { ScheduleObserver } from "./schedule-observer.ts";

export interface RunJudgeOptions {
  readonly store: Pick<ScheduleStore, "judgeRuns">;
  readonly membership: Pick<Membership, "holder">;
  readonly timers: Timers;
  readonly observer: Pick<ScheduleObserver, "schedulesPaused" | "trouble">;
}

const mostJudged = 1_000;
const lookEveryMs = 5_000;
/** The limit has ended the last look, so there is more to look at. */
const lookForMoreMs = 500;
/** Messages may end long after their runs, and other nodes make runs too. */
const lookAtRestMs = 30_000;

/** Looks at what became of runs whose schedules pause themselves after dead letters. */
export class RunJudge implements RunningPart {
  readonly #options: RunJudgeOptions;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  /** A look comes within `lookEveryMs`. */
  #isSoon = false;
  #failures = 0;
  #isRunning = false;

  constructor(options: RunJudgeOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#isRunning = true;
    this.noteRuns();
  }

  /** A look that is under way ends, and no further one begins. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#timer?.cancel();
    await this.#looking;
  }

  /** Runs were made that may have to be judged. */
  noteRuns(): void {
    if (!this.#isSoon) this.#sleep(lookEveryMs);
  }

  #sleep(sleepMs: number): void {
    if (!this.#isRunning) return;
    this.#timer?.cancel();
    this.#isSoon = sleepMs <= lookEveryMs;
    this.#timer = this.#options.timers.after(sleepMs, () => {
      // Runs that are made during the look are not part of it.
      this.#isSoon = false;
      this.#looking = this.#looking.then(() => this.#look());
    });
  }

  async #look(): Promise<void> {
    const { store, membership, observer } = this.#options;
    const { holder } = membership;
    if (!this.#isRunning) return undefined;
    if (holder === undefined) return this.#sleep(lookEveryMs);
    try {
      const { looked, paused } = await store.judgeRuns(holder, mostJudged);
      this.#failures = 0;
      if (paused.length > 0) observer.schedulesPaused(paused);
      if (looked >= mostJudged) return this.#sleep(lookForMoreMs);
      if (this.#isSoon) return undefined;
      return this.#sleep(looked > 0 ? lookEveryMs : lookAtRestMs);
    } catch (error) {
      observer.trouble(error, "judging the runs of schedules");
      return this.#sleep(pauseAfterFailures(++this.#failures));
    }
  }
}
