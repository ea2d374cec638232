import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { RunningPart } from "./running-parts.ts";
import type { Timer, Timers } from "./timers.ts";

export interface MemoryAtRestOptions {
  readonly timers: Timers;
  /** The share of the time since its last call in which this thread was at work. */
  readonly busyShare: () => number;
  /** Gives back what is not needed at rest. It may take 0.2 s, in which the thread does nothing else. */
  readonly release: () => void;
}

const lookEveryMs = 5_000;
const busy = 0.2;
const quiet = 0.05;
/** Longer than the pauses of a load that comes and goes. */
const quietLooks = 4;

/**
 * Gives memory back when a thread has become quiet after work. V8 collects garbage when something is
 * allocated, so a thread that has nothing to do would keep what its last load has left. Loading the code
 * counts as work. A thread that always has a little to do keeps its memory: then nothing waits for this.
 */
export class MemoryAtRest implements RunningPart {
  readonly #options: MemoryAtRestOptions;
  #timer: Timer | undefined;
  #hasWorked = true;
  #quietLooks = 0;

  constructor(options: MemoryAtRestOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#planLook();
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
  }

  #planLook(): void {
    this.#timer = this.#options.timers.after(lookEveryMs, () => {
      this.#look(this.#options.busyShare());
      this.#planLook();
    });
  }

  #look(share: number): void {
    if (share >= busy) this.#hasWorked = true;
    this.#quietLooks = share < quiet ? this.#quietLooks + 1 : 0;
    if (!this.#hasWorked || this.#quietLooks < quietLooks) return;
    this.#options.release();
    this.#hasWorked = false;
    // The release is no work that leaves something behind.
    this.#options.busyShare();
  }
}

/** Of this thread. The first call counts from the thread's beginning. */
export function busyShareOfThread(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

/** Collects all garbage of this thread, and gives the room that it took back to the system. */
export function releaseHeap(): void {
  // Where the process has not begun with this flag. Compiled code from the cache would not fit any more.
  if (globalThis.gc === undefined) setFlagsFromString("--expose-gc");
  const collect = globalThis.gc ?? (runInNewContext("gc") as NodeJS.GCFunction);
  // Others keep the pages that they have emptied.
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
