import type { Instant } from "../../domain/message.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import type { DeliveryStore, Store } from "../../storage/store.ts";

export interface OutrunMessagesOptions {
  readonly store: Pick<DeliveryStore, "endOutrun"> & Pick<Store, "sharing">;
  /** The clock of the store. */
  readonly clock: Pick<Clock, "now">;
  readonly timers: Timers;
  readonly observer: { trouble(error: unknown, doing: string): void };
}

const batchSize = 500;
/** Messages in flight may outrun their bounds at any time after them. */
const shortestSleepMs = 50;
/** How late this node learns of a bound that another node has stored. */
const longestSleepMs = 1_000;
/** Without any bound in the store, or without other nodes, there is almost nothing to learn. */
const idleSleepMs = 5_000;

/**
 * Ends messages whose `notAfter` has come: those of paused targets, for example, which nobody claims. No
 * attempt depends on it, because a claim leaves such messages out.
 */
export class OutrunMessages implements RunningPart {
  readonly #options: OutrunMessagesOptions;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #nextLook = Infinity;
  /** A node that does not deliver never starts this, and is told of bounds all the same. */
  #isRunning = false;

  constructor(options: OutrunMessagesOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#isRunning = true;
    this.#sleepUntil(this.#options.clock.now());
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#timer?.cancel();
    await this.#running;
  }

  /** This node has stored a message with this bound. */
  noteBound(notAfter: Instant): void {
    if (notAfter < this.#nextLook) this.#sleepUntil(notAfter);
  }

  #sleepUntil(time: Instant): void {
    if (!this.#isRunning) return;
    this.#timer?.cancel();
    this.#nextLook = time;
    const sleepMs = Math.max(0, Math.min(time - this.#options.clock.now(), idleSleepMs));
    this.#timer = this.#options.timers.after(sleepMs, () => {
      this.#nextLook = Infinity;
      // A bound that was noted during a look may come before that look has ended.
      this.#running = this.#running.then(() => this.#look());
    });
  }

  async #look(): Promise<void> {
    const { store, clock, observer } = this.#options;
    try {
      const { ended, nextBound } = await store.endOutrun(batchSize);
      const now = clock.now();
      if (ended >= batchSize) return this.#sleepUntil(now);
      const isIdle = nextBound === null || store.sharing === null;
      const latest = now + (isIdle ? idleSleepMs : longestSleepMs);
      const wanted = Math.min(nextBound ?? Infinity, latest, this.#nextLook);
      this.#sleepUntil(Math.max(wanted, now + shortestSleepMs));
    } catch (error) {
      observer.trouble(error, "ending messages after their notAfter");
      this.#sleepUntil(clock.now() + longestSleepMs);
    }
  }
}
