import { expect, test } from "vitest";
import { OutrunMessages } from "./outrun-messages.ts";
import type { OutrunMessagesOptions } from "./outrun-messages.ts";

const hour = 3_600_000;
const shared = { leaseMs: 10_000, credentialMs: 100 };

/** The part on a store with this next bound, and timers that the test fires. */
function play(
  nextBound: number | null,
  sharing: OutrunMessagesOptions["store"]["sharing"] = shared,
) {
  let now = 0;
  let looks = 0;
  const waiting = new Map<() => void, number>();
  const endOutrun = async () => {
    looks++;
    return { ended: 0, nextBound };
  };
  const outrun = new OutrunMessages({
    store: { endOutrun, sharing },
    clock: { now: () => now },
    timers: {
      after(delayMs, callback) {
        waiting.set(callback, now + delayMs);
        return { cancel: () => waiting.delete(callback) };
      },
    },
    observer: {
      trouble(error) {
        throw error;
      },
    },
  });
  return {
    outrun,
    looks: () => looks,
    /** In how many milliseconds it looks again. */
    sleeps: () => [...waiting.values()].map((at) => at - now),
    async fire() {
      const [[callback, at]] = [...waiting] as [[() => void, number]];
      now = at;
      waiting.delete(callback);
      callback();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test.each([
  ["without a bound", null, shared, 5_000],
  ["with a bound far away, which another node may come before", hour, shared, 1_000],
  ["with a bound far away, and no other nodes", hour, null, 5_000],
  ["with a bound soon", 300, shared, 300],
])("looks at the start, and again in time: %s", async (_, nextBound, sharing, sleepMs) => {
  const { outrun, looks, sleeps, fire } = play(nextBound, sharing);
  await outrun.start();
  expect(sleeps()).toEqual([0]);
  await fire();
  expect([looks(), sleeps()]).toEqual([1, [sleepMs]]);
  await outrun.stop();
  expect(sleeps()).toEqual([]);
});

test("a bound that this node stores is looked for when it comes", async () => {
  const { outrun, sleeps, fire } = play(null);
  await outrun.start();
  await fire();
  outrun.noteBound(700);
  outrun.noteBound(900);
  expect(sleeps()).toEqual([700]);
  await outrun.stop();
});

test("a node that has not started it, or has stopped it, looks for nothing", async () => {
  const { outrun, sleeps } = play(null);
  outrun.noteBound(10);
  expect(sleeps()).toEqual([]);
  await outrun.start();
  await outrun.stop();
  outrun.noteBound(10);
  expect(sleeps()).toEqual([]);
});
