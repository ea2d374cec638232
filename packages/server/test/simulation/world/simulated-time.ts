import type { Clock } from "../../../src/platform/clock.ts";
import type { Timer, Timers } from "../../../src/platform/timers.ts";

interface Happening {
  readonly at: number;
  /** Of two at one instant the one that was planned first. */
  readonly order: number;
  readonly callback: () => void;
  cancelled: boolean;
}

/** Some day in a far-away month, so that months and years can turn without leaving the century. */
const epoch = Date.UTC(2031, 0, 29, 12);

/**
 * Promises settle, and what waits for them goes on. Nothing here waits for the world outside, so whatever
 * goes on does so in one order, and what takes more steps than these goes on while time passes: as a slow
 * process would, and the same in every run.
 */
const stepsAnInstant = 12;

const settled = Promise.resolve();

/** The world outside has its turn now and then. */
const happeningsATurn = 2_000;

/**
 * Time that passes as soon as nobody has anything to do before the next instant at which somebody has.
 * One thing happens after the other, and in one order, always the same.
 */
export class SimulatedTime implements Timers, Clock {
  readonly #heap: Happening[] = [];
  #elapsedMs = 0;
  #planned = 0;
  #happened = 0;

  monotonic(): number {
    return this.#elapsedMs;
  }

  now(): number {
    return Math.floor(epoch + this.#elapsedMs);
  }

  after(delayMs: number, callback: () => void): Timer {
    const at = this.#elapsedMs + Math.max(0, delayMs);
    const happening = { at, order: this.#planned++, callback, cancelled: false };
    this.#push(happening);
    return {
      cancel: () => {
        happening.cancelled = true;
      },
    };
  }

  /** Lets time pass until this instant; whatever is planned until then has happened. */
  async passUntil(until: number): Promise<void> {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.at > until) break;
      this.#pop();
      if (next.cancelled) continue;
      this.#elapsedMs = Math.max(this.#elapsedMs, next.at);
      next.callback();
      for (let step = 0; step < stepsAnInstant; step++) await settled;
      if (++this.#happened % happeningsATurn === 0) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, until);
  }

  get happenings(): number {
    return this.#planned;
  }

  #push(happening: Happening): void {
    const heap = this.#heap;
    let place = heap.push(happening) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(happening, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = happening;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
  }
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
