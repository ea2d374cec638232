import type { Instant } from "../../domain/message.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import { pause } from "../../platform/timers.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import type { AdvancedSchedules, ScheduleStore } from "../../storage/schedule-store.ts";
import type { Store } from "../../storage/store.ts";
import type { Membership } from "../cluster/membership.ts";
import { pauseAfterFailures } from "../../platform/pause-after-failures.ts";
import type { ScheduleObserver } from "./schedule-observer.ts";

export interface ScheduleRunnerOptions {
  readonly store: Pick<ScheduleStore, "advanceSchedules"> & Pick<Store, "clock" | "sharing">;
  readonly membership: Pick<Membership, "holder">;
  readonly delivery: RunDelivery;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly observer: Omit<ScheduleObserver, "schedulesPaused">;
  /** Called after this node has made runs. */
  readonly onRunsMade: () => void;
}

/** Hears which messages the runs have. */
export interface RunDelivery {
  noteDue(accountId: string, targetKey: number, dueAt: Instant): void;
  noteBound(notAfter: Instant): void;
}

/** Two transactions on a shared store, each with one wait for the disk. The embedded store ends a look sooner. */
const mostAdvanced = 2_000;
/** How late this node learns of a schedule that another node has stored. Runs are made five seconds ahead. */
const lookEveryMs = 1_000;
/** The clock of this machine may be set, and time passes while a machine sleeps. */
const readClockEveryMs = 5_000;
/** Schedules that come together are learned of together. Those who create one make its first runs. */
const gatherMs = 50;
/**
 * After a longer look this node rests for a quarter of the time that it took: deliveries that wait for this process have
 * their turn. A longer rest would make a crowd of schedules late.
 */
const longLookMs = 50;
const restShare = 0.25;
/** A look may also take long because this machine stood still, and then runs are late already. */
const longestRestMs = 1_000;
/** Other nodes may have what is due, or newer time-zone data than this one. */
const shortestIdleMs = 50;
const longestIdleMs = 1_000;

/**
 * Makes the runs of recurring schedules. It asks the store when the next schedule is to be looked at. On a shared store
 * it also asks every second, because other nodes store schedules too, and every node makes the runs of all.
 */
export class ScheduleRunner implements RunningPart {
  readonly #options: ScheduleRunnerOptions;
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;
  #isNoted = false;
  #failures = 0;
  /** Looks in a row that found something due and could do nothing. */
  #idleLooks = 0;
  /** A node that does not deliver never starts this, and is told of schedules all the same. */
  #isRunning = false;

  constructor(options: ScheduleRunnerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#isRunning = true;
    // Something may be due, and nobody knows until the first look succeeds.
    this.#options.observer.nextScheduleKnown(0);
    this.#sleep(0);
  }

  /** A look that is under way ends, and no further one begins. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#timer?.cancel();
    this.#stopping.abort();
    await this.#looking;
  }

  /** A schedule was stored, its account was resumed, or a membership has begun. */
  noteSchedule(): void {
    if (this.#isNoted) return;
    this.#isNoted = true;
    if (this.#looking === undefined) this.#sleep(gatherMs);
  }

  #sleep(sleepMs: number, act: () => void = () => this.#begin()): void {
    if (!this.#isRunning) return;
    this.#timer?.cancel();
    this.#timer = this.#options.timers.after(sleepMs, act);
  }

  #begin(): void {
    this.#isNoted = false;
    this.#looking = this.#look().then((sleep) => {
      this.#looking = undefined;
      if (this.#isNoted) this.#sleep(gatherMs);
      else sleep();
    });
  }

  /** Answers with how to go on. */
  async #look(): Promise<() => void> {
    const { store, membership, clock, timers, observer } = this.#options;
    const { holder } = membership;
    if (holder === undefined) return () => this.#sleep(lookEveryMs);
    const began = clock.monotonic();
    try {
      const made = await store.advanceSchedules(holder, mostAdvanced);
      this.#failures = 0;
      this.#tell(made);
      const tookMs = clock.monotonic() - began;
      const restMs = Math.min(tookMs * restShare, longestRestMs);
      if (tookMs > longLookMs) await pause(timers, restMs, this.#stopping.signal);
      return this.#afterLook(made);
    } catch (error) {
      observer.trouble(error, "making the runs of schedules");
      const pauseMs = pauseAfterFailures(++this.#failures);
      return () => this.#sleep(pauseMs);
    }
  }

  #tell(made: AdvancedSchedules): void {
    const { delivery, observer, onRunsMade } = this.#options;
    const { advanced, runs, planned, nextBound, nextLookTime, now } = made;
    for (const { accountId, targetKey, dueAt } of planned) {
      delivery.noteDue(accountId, targetKey, dueAt);
    }
    if (nextBound !== null) delivery.noteBound(nextBound);
    if (advanced > 0) observer.schedulesAdvanced(made);
    observer.nextScheduleKnown(nextLookTime === null ? null : nextLookTime - now);
    if (runs.CREATED > 0) onRunsMade();
  }

  #afterLook({ advanced, nextLookTime, now }: AdvancedSchedules): () => void {
    const leftMs = (nextLookTime ?? Infinity) - now;
    const isDue = leftMs <= 0;
    this.#idleLooks = isDue && advanced === 0 ? this.#idleLooks + 1 : 0;
    if (this.#idleLooks > 0) {
      const idleMs = Math.min(shortestIdleMs * 2 ** (this.#idleLooks - 1), longestIdleMs);
      return () => this.#sleep(idleMs);
    }
    if (isDue) return () => this.#sleep(0);
    if (this.#options.store.sharing !== null) {
      return () => this.#sleep(Math.min(leftMs, lookEveryMs));
    }
    return () => this.#sleepUntil(nextLookTime);
  }

  /** Alone on its store, this node knows all schedules, and asks only when one is to be looked at. */
  #sleepUntil(time: Instant | null): void {
    if (time === null) return;
    const leftMs = time - this.#options.store.clock.now();
    if (leftMs <= 0) return this.#sleep(0);
    this.#sleep(Math.min(leftMs, readClockEveryMs), () => this.#sleepUntil(time));
  }
}
