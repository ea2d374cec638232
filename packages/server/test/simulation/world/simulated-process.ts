import type { Clock } from "../../../src/platform/clock.ts";
import type { Timer, Timers } from "../../../src/platform/timers.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/**
 * A process as seen by the clock. It can be stopped for a while, and then finds that time has passed
 * without it. It can be killed at any moment, and then nothing of it ever happens again.
 */
export class SimulatedProcess implements Timers, Clock {
  readonly #time: SimulatedTime;
  readonly #dying: (() => void)[] = [];
  /** How far its wall clock is off. */
  wallErrorMs: number;
  #dead = false;
  #stoppedUntil = -Infinity;

  constructor(time: SimulatedTime, wallErrorMs: number) {
    this.#time = time;
    this.wallErrorMs = wallErrorMs;
  }

  get dead(): boolean {
    return this.#dead;
  }

  now(): number {
    return Math.floor(this.#time.now() + this.wallErrorMs);
  }

  monotonic(): number {
    return this.#time.monotonic();
  }

  after(delayMs: number, callback: () => void): Timer {
    let timer: Timer;
    const ring = (): void => {
      if (this.#dead) return;
      const waitMs = this.#stoppedUntil - this.#time.monotonic();
      if (waitMs > 0) timer = this.#time.after(waitMs, ring);
      else callback();
    };
    timer = this.#time.after(delayMs, ring);
    return { cancel: () => timer.cancel() };
  }

  /** Acts as soon as the process is not stopped. Calls and signals wait until then. */
  whenAwake(act: () => void): void {
    if (this.#stoppedUntil > this.#time.monotonic()) this.after(0, act);
    else act();
  }

  /** Like SIGSTOP, with SIGCONT after `ms`. */
  stopFor(ms: number): void {
    this.#stoppedUntil = Math.max(this.#stoppedUntil, this.#time.monotonic() + ms);
  }

  kill(): void {
    this.#dead = true;
    for (const tell of this.#dying.splice(0)) tell();
  }

  onDeath(tell: () => void): void {
    this.#dying.push(tell);
  }
}
