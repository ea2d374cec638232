import type { Timer, Timers } from "../../platform/timers.ts";
import { StoreUnavailable } from "../store.ts";

export interface PlacesOptions {
  readonly places: number;
  /** So many of them at most for calls of one name. */
  readonly placesOfOne: number;
  readonly timers: Timers;
}

interface Waiting {
  readonly enter: () => void;
}

/**
 * So many calls at a time, the others wait. Names, such as accounts, take turns: however many calls
 * of one name wait, a call of another is behind one of them at most.
 */
export class Places {
  readonly #options: PlacesOptions;
  #free: number;
  readonly #taken = new Map<string, number>();
  /** By name, whose turn it is next first. */
  readonly #waiting = new Map<string, Set<Waiting>>();

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#free = options.places;
  }

  /** Resolves with a place, as the function that gives it back; rejects after `waitMs`. */
  take(name: string, waitMs: number): Promise<() => void> {
    if (this.#hasRoomFor(name)) return Promise.resolve(this.#enter(name));
    return new Promise((resolve, reject) => {
      let timer: Timer | undefined;
      const waiting: Waiting = {
        enter: () => {
          timer?.cancel();
          resolve(this.#enter(name));
        },
      };
      const line = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, line.add(waiting));
      if (waitMs === Infinity) return;
      timer = this.#options.timers.after(waitMs, () => {
        this.#leaveLine(name, waiting);
        reject(new StoreUnavailable("No connection to PostgreSQL was free in time"));
      });
    });
  }

  #hasRoomFor(name: string): boolean {
    return this.#free > 0 && (this.#taken.get(name) ?? 0) < this.#options.placesOfOne;
  }

  #enter(name: string): () => void {
    this.#free--;
    this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
    return () => {
      this.#free++;
      const left = this.#taken.get(name)! - 1;
      if (left > 0) this.#taken.set(name, left);
      else this.#taken.delete(name);
      this.#letNextIn();
    };
  }

  #letNextIn(): void {
    for (const [name, line] of this.#waiting) {
      if (!this.#hasRoomFor(name)) continue;
      const [first] = line;
      this.#leaveLine(name, first!);
      // Its next call waits behind one of everybody else.
      if (this.#waiting.delete(name)) this.#waiting.set(name, line);
      first!.enter();
      return;
    }
  }

  #leaveLine(name: string, waiting: Waiting): void {
    const line = this.#waiting.get(name);
    line?.delete(waiting);
    if (line?.size === 0) this.#waiting.delete(name);
  }
}
