import { viewActivity } from "../../domain/activity.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import { pause } from "../../platform/timers.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import type { StatsStore } from "../../storage/store.ts";
import type { AttemptEvent } from "../delivery/delivery-observer.ts";
import { additionsOf, GatheredActivity } from "./gathered-activity.ts";
import type { GatheredMinute } from "./gathered-activity.ts";

export interface ActivityRecorderOptions {
  readonly store: Pick<StatsStore, "addActivity">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly observer: {
    /** So many attempts will be missing in the statistics. */
    activityLost(attempts: number): void;
    trouble(error: unknown, doing: string): void;
  };
}

/** About 10 MB. */
const mostGathered = 20_000;
/** Then it does not wait for longer than the shortest time. */
const worthWriting = 10_000;
const shortestWaitMs = 10_000;
const longestWaitMs = 60_000;
/** After a long write it waits for longer, so that the store has no more to do each second. */
const waitForEachMs = 6;
/** How many minutes of targets share a commit. */
const piece = 50;

/**
 * Gathers in memory how attempts went, and adds it to the store every few seconds, a little at a time. No
 * delivery waits for it. What a crash takes along is missing in the statistics, and nothing else.
 */
export class ActivityRecorder implements RunningPart {
  readonly #options: ActivityRecorderOptions;
  readonly #gathered = new GatheredActivity(mostGathered);
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #lastBeganAt = -Infinity;
  #lastLength = 0;

  constructor(options: ActivityRecorderOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {}

  /** Writes what is left. Must be called when no attempt will end any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.cancel();
    await this.#writing;
    await this.#write();
  }

  /** Some additions in memory: this is called for every attempt. */
  attemptEnded({ accountId, targetKey, attempt, latenessMs }: AttemptEvent): void {
    const { outcome, startTime, endTime } = attempt;
    const durationMs = endTime - startTime;
    const seen = { accountId, targetKey, outcome, endTime, durationMs, latenessMs };
    if (!this.#gathered.add(seen)) this.#options.observer.activityLost(1);
    if (this.#timer === undefined || this.#gathered.size === worthWriting) this.#planNext();
  }

  #planNext(): void {
    const { timers, clock } = this.#options;
    if (this.#stopping.signal.aborted || this.#writing !== undefined) return;
    this.#timer?.cancel();
    const spentMs = clock.monotonic() - this.#lastBeganAt;
    const waitMs =
      this.#gathered.size >= worthWriting ? shortestWaitMs - spentMs : this.#usualWaitMs();
    this.#timer = timers.after(waitMs, () => {
      this.#writing = this.#write().finally(() => {
        this.#writing = undefined;
        this.#timer = undefined;
        if (this.#gathered.size > 0) this.#planNext();
      });
    });
  }

  #usualWaitMs(): number {
    return Math.min(longestWaitMs, Math.max(shortestWaitMs, this.#lastLength * waitForEachMs));
  }

  async #write(): Promise<void> {
    const { clock, timers, observer } = this.#options;
    this.#lastBeganAt = clock.monotonic();
    const minutes = this.#gathered.takeAll();
    this.#lastLength = minutes.length;
    for (let begin = 0; begin < minutes.length; begin += piece) {
      const began = clock.monotonic();
      try {
        await this.#options.store.addActivity(additionsOf(minutes.slice(begin, begin + piece)));
      } catch (error) {
        // The fate of the piece is unknown. Written again, it might count twice. What comes behind it would
        // only wait for a store that does not answer, perhaps at a stop.
        observer.activityLost(attemptsIn(minutes.slice(begin)));
        observer.trouble(error, "adding to the statistics");
        return;
      }
      // Rests for as long as it worked, so that the store has time for others.
      const isLast = begin + piece >= minutes.length;
      if (!isLast) await pause(timers, clock.monotonic() - began, this.#stopping.signal);
    }
  }
}

function attemptsIn(minutes: readonly GatheredMinute[]): number {
  return minutes
    .filter(({ targetKey }) => targetKey !== null)
    .reduce((sum, { counts }) => sum + viewActivity(counts).attempts, 0);
}
