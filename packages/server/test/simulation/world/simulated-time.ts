import type { Clock } from "../../../src/platform/clock.ts";
import type { Timer, Timers } from "../../../src/platform/timers.ts";

/** Something that is planned; it is its own timer. */
class Happening implements Timer {
  readonly at: number;
  /** Of two at one instant the one that was planned first. */
  readonly order: number;
  readonly callback: () => void;
  cancelled = false;

  constructor(at: number, order: number, callback: () => void) {
    this.at = at;
    this.order = order;
    this.callback = callback;
  }

  cancel(): void {
    this.cancelled = true;
  }
}

/** Some day in a far-away month, so that months and years can turn without leaving the century. */
const epoch = Date.UTC(2031, 0, 29, 12);

/** How many happenings are handed to the event loop together: the way there costs more than most of them. */
const handedTogether = 64;

/**
 * Time that passes as soon as nobody has anything to do before the next instant at which somebody has.
 * One thing happens after the other, and in one order, always the same. Each is an immediate of its own,
 * and Node settles every promise between two of them: whatever can go on at an instant has gone on before
 * the next one comes, and nothing waits for the world outside.
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
    const happening = new Happening(at, this.#planned++, callback);
    this.#push(happening);
    return happening;
  }

  /** Lets time pass until this instant; whatever is planned until then has happened. */
  passUntil(until: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let over = false;
      const happenNext = (): void => {
        if (over) return;
        try {
          over = !this.#happenNext(until);
        } catch (error) {
          over = true;
          reject(error);
        }
        if (over) resolve();
      };
      const handOver = (): void => {
        if (over) return;
        for (let count = 0; count < handedTogether; count++) setImmediate(happenNext);
        setImmediate(handOver);
      };
      handOver();
    });
  }

  /** False: nothing is planned until then any more. */
  #happenNext(until: number): boolean {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.at > until) {
        this.#elapsedMs = Math.max(this.#elapsedMs, until);
        return false;
      }
      this.#pop();
      if (next.cancelled) continue;
      this.#happened++;
      this.#elapsedMs = Math.max(this.#elapsedMs, next.at);
      next.callback();
      return true;
    }
  }

  /** How many there have been. */
  get happenings(): number {
    return this.#happened;
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
