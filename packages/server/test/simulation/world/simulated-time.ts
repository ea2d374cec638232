import type { Clock } from "../../../src/platform/clock.ts";
import type { Timer, Timers } from "../../../src/platform/timers.ts";

/** A planned event, which is its own timer. */
class Happening implements Timer {
  readonly at: number;
  /** Of two at one instant, the one that was planned first comes first. */
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

/**
 * A day near the end of a month far in the future, so that months and years can end without leaving the
 * century.
 */
const usualEpoch = Date.UTC(2031, 0, 29, 12);

/** How many events go to the event loop together. Scheduling there costs more than most events. */
const handedTogether = 64;

/**
 * Simulated time. It moves on as soon as nothing is left to do before the next planned event. Events happen
 * one after the other, always in the same order. Each is its own immediate, and Node settles every promise
 * between two of them. So all work that is possible at an instant is done before the next one, and nothing
 * waits for the outside world.
 */
export class SimulatedTime implements Timers, Clock {
  readonly #heap: Happening[] = [];
  readonly #epoch: number;
  #elapsedMs = 0;
  #planned = 0;
  #happened = 0;

  constructor(epoch = usualEpoch) {
    this.#epoch = epoch;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  now(): number {
    return Math.floor(this.#epoch + this.#elapsedMs);
  }

  after(delayMs: number, callback: () => void): Timer {
    const at = this.#elapsedMs + Math.max(0, delayMs);
    const happening = new Happening(at, this.#planned++, callback);
    this.#push(happening);
    return happening;
  }

  /** Lets time pass until this instant. Everything planned until then has happened afterwards. */
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

  /** Returns false if nothing more is planned until then. */
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

  /** How many events there have been. */
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
