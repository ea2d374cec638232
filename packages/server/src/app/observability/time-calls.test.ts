import { expect, test } from "vitest";
import type { Store } from "../../storage/store.ts";
import { idleSources } from "./idle-sources.ts";
import { createMetrics } from "./metrics.ts";
import { timeCalls } from "./time-calls.ts";

/** A store whose pings end when the test says so. */
function play() {
  let now = 0;
  const pings: PromiseWithResolvers<void>[] = [];
  const metrics = createMetrics(idleSources);
  const inner = {
    sharing: null,
    waitingCalls: () => 3,
    ping: () => {
      const ping = Promise.withResolvers<void>();
      pings.push(ping);
      return ping.promise;
    },
    counts: async () => ({ pending: 7 }),
  } as unknown as Store;
  const store = timeCalls(inner, { metrics, clock: { monotonic: () => now } });
  return {
    store,
    pings,
    pass: (ms: number) => void (now += ms),
    async measured(verb: string): Promise<string[]> {
      const lines = (await metrics.registry.metrics()).split("\n");
      const name = "postdate_store_call_duration_seconds";
      const found = lines.filter((line) => line.includes(`verb="${verb}"`));
      return found
        .filter((line) => !line.includes("_bucket"))
        .map((line) => line.slice(name.length));
    },
  };
}

test("answers pass through, and a call is measured from its beginning to its answer", async () => {
  const { store, pings, pass, measured } = play();
  expect(await store.counts()).toEqual({ pending: 7 });
  expect([store.sharing, store.waitingCalls()]).toEqual([null, 3]);
  const ping = store.ping();
  pass(250);
  pings[0]!.resolve();
  await ping;
  expect(await measured("ping")).toEqual(['_sum{verb="ping"} 0.25', '_count{verb="ping"} 1']);
});

test("of calls of one verb that are under way together one is measured, failed or not", async () => {
  const { store, pings, pass, measured } = play();
  const calls = [store.ping(), store.ping()];
  pass(1_000);
  pings[1]!.resolve();
  await calls[1];
  expect(await measured("ping")).toEqual([]);
  pass(1_000);
  pings[0]!.reject(new Error("away"));
  await expect(calls[0]).rejects.toThrow("away");
  expect(await measured("ping")).toEqual(['_sum{verb="ping"} 2', '_count{verb="ping"} 1']);
  const later = store.ping();
  pings[2]!.resolve();
  await later;
  expect(await measured("ping")).toContain('_count{verb="ping"} 2');
});
