import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";
import type { Api, ApiAnswer } from "../../support/api.ts";

/** One request of a writer, and how it was answered. */
export interface Call {
  readonly path: string;
  readonly askedAt: number;
  readonly answeredAt: number;
  /** Undefined: there was no answer at all. */
  readonly answer: ApiAnswer | undefined;
}

export interface WatchedCalls {
  readonly calls: readonly Call[];
  watch(api: Api): Api;
  /** From now on calls are neither made nor answered: writers that would not stop stand still. */
  giveUp(): void;
  /** Resolves once so many calls that were asked since then have been acknowledged. */
  whenAcknowledged(count: number, since: number): Promise<void>;
  /** As above, for calls that were refused, after so long at least. */
  whenRefused(count: number, since: number, afterMs?: number): Promise<void>;
}

/** A caller that was told to come back does so, though sooner than it was told to. */
const comeBackAfterMs = 200;

const patiently = { timeout: 90_000, interval: 50 };

/** Notes what writers were told and how long it took. */
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

/** With the answer that the contract has for a store that cannot be reached. */
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
