import type { Clock } from "../../platform/clock.ts";
import type { Store } from "../../storage/store.ts";
import type { Metrics } from "./metrics.ts";

export interface TimeCallsOptions {
  readonly metrics: Pick<Metrics, "storeCalls">;
  readonly clock: Pick<Clock, "monotonic">;
}

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** Not calls, or only made by those who end or watch the store. */
const untimed: ReadonlySet<string> = new Set(["waitingCalls", "close"]);

/**
 * The same store. It also measures how long its calls take. Of one verb's calls that are under way together only
 * one is measured, so that a call on a busy store costs no more than a look at a flag.
 */
export function timeCalls(store: Store, { metrics, clock }: TimeCallsOptions): Store {
  const entries = Object.entries(store).map(([name, value]: [string, unknown]) =>
    typeof value === "function" && !untimed.has(name)
      ? [name, timed(name, value as Call)]
      : [name, value],
  );
  return Object.fromEntries(entries) as Store;

  function timed(verb: string, call: Call): Call {
    let took: ((durationMs: number) => void) | undefined;
    let isMeasuring = false;
    return (...args) => {
      if (isMeasuring) return call(...args);
      isMeasuring = true;
      const began = clock.monotonic();
      const ended = (): void => {
        isMeasuring = false;
        took ??= metrics.storeCalls.series({ verb });
        took(clock.monotonic() - began);
      };
      const answer = call(...args);
      answer.then(ended, ended);
      return answer;
    };
  }
}
