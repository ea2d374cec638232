import type { Clock } from "../../platform/clock.ts";
import type { HeapUse } from "../../platform/heap.ts";
import type { Timer, Timers } from "../../platform/timers.ts";

export type Strain = "event-loop" | "memory";

export interface LoadWatchOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly readHeap: () => HeapUse;
  readonly maxLoopDelayMs: number;
}

const lookEveryMs = 250;
const calmMs = 100;
const fullHeap = 0.9;
const roomyHeap = 0.8;

/**
 * Checks the event loop and the heap four times a second.
 *
 * The event loop is strained if it is late twice in a row, by default by half a second each time. Requests
 * have then waited for a second. Being late once is a hiccup. The strain ends when the loop is on time three
 * times in a row. For strangers, half of that delay is enough. They are turned away first, so that callers
 * are served for longer. The heap is strained from nine tenths of its limit on, until a fifth of it is free.
 */
export class LoadWatch {
  readonly #options: LoadWatchOptions;
  #timer: Timer | undefined;
  #dueAt = 0;
  #lateLooks = 0;
  #calmLooks = 0;
  #late = false;
  #halfLateLooks = 0;
  #halfLate = false;
  #full = false;

  constructor(options: LoadWatchOptions) {
    this.#options = options;
  }

  get strain(): Strain | null {
    if (this.#late) return "event-loop";
    return this.#full ? "memory" : null;
  }

  /** The same for strangers, who are turned away earlier. */
  get strainForStrangers(): Strain | null {
    return this.#halfLate ? "event-loop" : this.strain;
  }

  start(): void {
    const { clock, timers } = this.#options;
    this.#dueAt = clock.monotonic() + lookEveryMs;
    this.#timer = timers.after(lookEveryMs, () => {
      this.#lookAtLoop(clock.monotonic() - this.#dueAt);
      this.#lookAtHeap();
      this.start();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #lookAtLoop(delayMs: number): void {
    this.#lateLooks = delayMs >= this.#options.maxLoopDelayMs ? this.#lateLooks + 1 : 0;
    const isHalfLate = delayMs >= this.#options.maxLoopDelayMs / 2;
    this.#halfLateLooks = isHalfLate ? this.#halfLateLooks + 1 : 0;
    this.#calmLooks = delayMs < calmMs ? this.#calmLooks + 1 : 0;
    if (this.#lateLooks >= 2) this.#late = true;
    if (this.#halfLateLooks >= 2) this.#halfLate = true;
    if (this.#calmLooks < 3) return;
    this.#late = false;
    this.#halfLate = false;
  }

  #lookAtHeap(): void {
    const { usedBytes, limitBytes } = this.#options.readHeap();
    this.#full = usedBytes >= limitBytes * (this.#full ? roomyHeap : fullHeap);
  }
}
