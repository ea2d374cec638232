import { setImmediate as nextTurn } from "node:timers/promises";
import type { Store } from "../../../../src/storage/store.ts";
import { seededRandom } from "../../world/seeded-random.ts";
import { SimulatedTime } from "../../world/simulated-time.ts";
import { SteppingClock } from "../../world/stepping-clock.ts";
import { createModelDatabase } from "../model-database.ts";
import type { ModelDatabase, ModelDatabaseOptions, NodeOptions } from "../model-database.ts";
import type { StoreFault, StoreFaults } from "../with-faults.ts";

export const leaseMs = 10_000;

export interface SimulatedPlace {
  readonly time: SimulatedTime;
  /** The place's own, which can be set. */
  readonly clock: SteppingClock;
  readonly place: ModelDatabase;
  open(nodeId: string, options?: Partial<NodeOptions>): Store;
  pass(ms: number): Promise<void>;
  /** What a call comes to, letting as much time pass as it takes. */
  settle<T>(call: Promise<T>): Promise<T>;
}

/** A place that checks itself, on a time of its own. */
export function simulatedPlace(
  options: Partial<ModelDatabaseOptions> = {},
  seed = "seed",
): SimulatedPlace {
  const time = new SimulatedTime();
  const clock = new SteppingClock(time);
  const random = seededRandom(seed);
  const place = createModelDatabase({
    clock,
    timers: time,
    random,
    selfCheck: true,
    ...options,
  });
  const pass = async (ms: number): Promise<void> => {
    // Calls that were made just now must have reached the timers before time goes on.
    await nextTurn();
    await time.passUntil(time.monotonic() + ms);
  };
  return {
    time,
    clock,
    place,
    pass,
    open: (nodeId, node = {}) =>
      place.open({ nodeId, leaseMs, retentionMs: 60_000, idempotencyRetentionMs: 60_000, ...node }),
    async settle(call) {
      let settled = false;
      const noted = Promise.allSettled([call]).then(() => (settled = true));
      for (let waitedMs = 0; waitedMs < 100_000; waitedMs += 10) {
        await pass(0);
        if (settled) return noted.then(() => call);
        await pass(10);
      }
      throw new Error("it never settles");
    },
  };
}

const fine: StoreFault = { kind: "fine", beforeMs: 0, afterMs: 0 };

/** Faults that are set by hand: each for the next call of its verb, everything else is fine. */
export class SetFaults implements StoreFaults {
  readonly #next = new Map<string, StoreFault>();
  readonly calls: string[] = [];
  dead = false;

  set(verb: string, fault: Partial<StoreFault>): void {
    this.#next.set(verb, { ...fine, ...fault });
  }

  next(verb: string): StoreFault {
    this.calls.push(verb);
    const fault = this.#next.get(verb) ?? fine;
    this.#next.delete(verb);
    return fault;
  }
}

/** Whether it has settled by now, and how. */
export function watch(call: Promise<unknown>): () => "pending" | "answered" | "unavailable" {
  let state: "pending" | "answered" | "unavailable" = "pending";
  call.then(
    () => (state = "answered"),
    (error: Error) => (state = error.name === "StoreUnavailable" ? "unavailable" : state),
  );
  return () => state;
}
