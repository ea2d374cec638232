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
  /** The database's own clock, which a test can set. */
  readonly clock: SteppingClock;
  readonly place: ModelDatabase;
  open(nodeId: string, options?: Partial<NodeOptions>): Store;
  pass(ms: number): Promise<void>;
  /** Lets time pass until the call settles, and returns its result. */
  settle<T>(call: Promise<T>): Promise<T>;
}

/** A database that checks itself, in its own simulated time. */
export function simulatedDatabase(
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
    // Calls that have just been made must reach the timers before time passes.
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

/** Faults that the test sets, each for the next call of its verb. All other calls succeed. */
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

/** Whether the call has settled by now, and how. */
export function watch(call: Promise<unknown>): () => "pending" | "answered" | "unavailable" {
  let state: "pending" | "answered" | "unavailable" = "pending";
  call.then(
    () => (state = "answered"),
    (error: Error) => (state = error.name === "StoreUnavailable" ? "unavailable" : state),
  );
  return () => state;
}
