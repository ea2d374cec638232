import type { Timers } from "../../../src/platform/timers.ts";
import { StoreUnavailable } from "../../../src/storage/store.ts";

/** What happens to one call. Delays are in simulated time. */
export interface StoreFault {
  /**
   * - `fine`: the call takes effect and is answered.
   * - `fails-before`: the call has no effect, and the caller is told that the store is unavailable.
   * - `fails-after`: the call takes effect, and the caller is told the same.
   * - `happens-late`: the caller is told the same after `afterMs`. The call takes effect `beforeMs` later,
   *   like a statement that reaches a database after its caller gave up.
   */
  readonly kind: "fine" | "fails-before" | "fails-after" | "happens-late";
  /** From the call to the commit. */
  readonly beforeMs: number;
  /** From the commit to the answer. */
  readonly afterMs: number;
}

export interface StoreFaults {
  /** The calling node's process has died. Its calls under way neither reach the store nor come back. */
  readonly dead: boolean;
  next(verb: string, args: readonly unknown[]): StoreFault;
}

export interface FaultTimers {
  /** The timers of the connection to the store, which run even while the node stands still. */
  readonly timers: Timers;
  /** The node's own timers. The node gets an answer only while it is awake. */
  readonly nodeTimers?: Timers;
}

/** Not calls to the store. */
const answersAtOnce: ReadonlySet<string> = new Set(["close", "waitingCalls"]);

type Verb = (...args: readonly unknown[]) => Promise<unknown>;

/** Puts faults between a node and its store, or any object whose functions are calls to a store. */
export function withFaults<Calls extends object>(
  store: Calls,
  faults: StoreFaults,
  { timers, nodeTimers = timers }: FaultTimers,
): Calls {
  function callWithFault(name: string, verb: Verb, args: readonly unknown[]): Promise<unknown> {
    if (faults.dead) return new Promise(() => {});
    const { kind, beforeMs, afterMs } = faults.next(name, args);
    // The fault may be the death of the node.
    if (faults.dead) return new Promise(() => {});
    if (kind === "fine" && beforeMs === 0 && afterMs === 0) return verb(...args);
    return new Promise((resolve, reject) => {
      const hear = (settle: () => void): void => {
        // A node that has just made the call is awake for the answer.
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
        // Fails at once, even if the call has not settled: a caller that waits for an attempt may lose its
        // connection meanwhile.
        if (kind === "fails-after") fail();
      };
      if (kind === "happens-late") fail();
      const commitMs = kind === "happens-late" ? afterMs + beforeMs : beforeMs;
      if (commitMs > 0) timers.after(commitMs, () => (faults.dead ? undefined : happen()));
      else happen();
    });
  }

  const entries = Object.entries(store).map(([name, value]): [string, unknown] => {
    if (typeof value !== "function" || answersAtOnce.has(name)) return [name, value];
    const verb = value as Verb;
    return [name, (...args: readonly unknown[]) => callWithFault(name, verb, args)];
  });
  return Object.fromEntries(entries) as Calls;
}
