import type { Timers } from "../../../src/platform/timers.ts";
import { StoreUnavailable } from "../../../src/storage/store.ts";

/** What becomes of one call. Delays are simulated time. */
export interface StoreFault {
  /**
   * - `fine`: it happens, and is answered.
   * - `fails-before`: nothing happens, and the caller is told that the store is unavailable.
   * - `fails-after`: it happens, and the caller is told the same.
   * - `happens-late`: the caller is told the same, after `afterMs`, and then, `beforeMs` later, it happens:
   *   as a statement does that reaches a database after it was given up.
   */
  readonly kind: "fine" | "fails-before" | "fails-after" | "happens-late";
  /** From the call to the moment of the commit. */
  readonly beforeMs: number;
  /** From there to the answer. */
  readonly afterMs: number;
}

export interface StoreFaults {
  /** The calling node's process has died: what is under way does not reach the store, nor come back. */
  readonly dead: boolean;
  next(verb: string, args: readonly unknown[]): StoreFault;
}

export interface FaultTimers {
  /** Of the way to the store, which goes on while the node stands still. */
  readonly timers: Timers;
  /** The node's own: it hears an answer only when it is awake. */
  readonly nodeTimers?: Timers;
}

type Verb = (...args: readonly unknown[]) => Promise<unknown>;

/** Puts faults between a node and its store, or anything else whose functions are calls to a store. */
export function withFaults<Calls extends object>(
  store: Calls,
  faults: StoreFaults,
  { timers, nodeTimers = timers }: FaultTimers,
): Calls {
  function callWithFault(name: string, verb: Verb, args: readonly unknown[]): Promise<unknown> {
    if (faults.dead) return new Promise(() => {});
    const { kind, beforeMs, afterMs } = faults.next(name, args);
    // A fault may be its death.
    if (faults.dead) return new Promise(() => {});
    if (kind === "fine" && beforeMs === 0 && afterMs === 0) return verb(...args);
    return new Promise((resolve, reject) => {
      const hear = (settle: () => void): void => {
        // Whoever asked just now is awake to hear it.
        if (beforeMs === 0 && afterMs === 0) return settle();
        nodeTimers.after(afterMs, () => {
          if (!faults.dead) settle();
        });
      };
      const fail = (): void => hear(() => reject(new StoreUnavailable(`${name}: no answer`)));
      const happen = (): void => {
        if (kind === "fails-before") return fail();
        const happening = verb(...args);
        if (kind === "fine") {
          happening.then(
            (answer) => hear(() => resolve(answer)),
            (error: unknown) => hear(() => reject(error)),
          );
          return;
        }
        happening.catch(() => {});
        // Not once it is settled: who waits for an attempt may lose the connection while it waits.
        if (kind === "fails-after") fail();
      };
      if (kind === "happens-late") fail();
      const commitMs = kind === "happens-late" ? afterMs + beforeMs : beforeMs;
      if (commitMs > 0) timers.after(commitMs, () => (faults.dead ? undefined : happen()));
      else happen();
    });
  }

  const entries = Object.entries(store).map(([name, value]): [string, unknown] => {
    if (typeof value !== "function" || name === "close") return [name, value];
    const verb = value as Verb;
    return [name, (...args: readonly unknown[]) => callWithFault(name, verb, args)];
  });
  return Object.fromEntries(entries) as Calls;
}
