import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";
import type { Api, ApiAnswer } from "../../support/api.ts";

/** One request of a writer, and its answer. */
export interface Call {
  readonly path: string;
  readonly askedAt: number;
  readonly answeredAt: number;
  /** Undefined if there was no answer at all. */
  readonly answer: ApiAnswer | undefined;
}

export interface WatchedCalls {
  readonly calls: readonly Call[];
  watch(api: Api): Api;
  /**
   * From now on, calls are neither made nor answered, which stops writers that would not stop by
   * themselves.
   */
  giveUp(): void;
  /** Resolves once `count` calls made since `since` have been acknowledged. */
  whenAcknowledged(count: number, since: number): Promise<void>;
  /** The same for calls that were refused, after at least `afterMs`. */
  whenRefused(count: number, since: number, afterMs?: number): Promise<void>;
}

/** A refused caller tries again, though sooner than the answer asks. */
const comeBackAfterMs = 200;

const patiently = { timeout: 90_000, interval: 50 };

/** Records the answers to writers and how long they took. */
export function watchCalls(): WatchedCalls {
  const calls: Call[] = [];
  let givenUp = false;
  const whenCounted = async (matches: (call: Call) => boolean, count: number, since: number) => {
    await vi.waitFor(() => {
      const found = calls.filter((call) => call.askedAt >= since && matches(call)).length;
      if (found < count) throw new Error(`${found} of ${count} calls so far`);
    }, patiently);
  };
  return {
    calls,
    watch: (api) => async (method, path, options) => {
      if (givenUp) return new Promise(() => {});
      const askedAt = Date.now();
      let answer: ApiAnswer | undefined;
      try {
        answer = await api(method, path, options);
        return answer;
      } finally {
        calls.push({ path, askedAt, answeredAt: Date.now(), answer });
        if (answer?.status !== 200) await pause(comeBackAfterMs);
      }
    },
    giveUp: () => void (givenUp = true),
    whenAcknowledged: (count, since) => whenCounted(isAcknowledged, count, since),
    whenRefused: (count, since, afterMs = 0) =>
      whenCounted((call) => isRefused(call) && durationMs(call) >= afterMs, count, since),
  };
}

export function isAcknowledged({ answer }: Call): boolean {
  return answer?.status === 200;
}

/** Whether the answer is the contract's answer for a store that cannot be reached. */
export function isRefused({ answer }: Call): boolean {
  return (
    answer?.status === 503 &&
    answer.body?.errors?.[0]?.code === "E-DI-9002" &&
    answer.headers.get("retry-after") !== null
  );
}

export function durationMs({ askedAt, answeredAt }: Call): number {
  return answeredAt - askedAt;
}
