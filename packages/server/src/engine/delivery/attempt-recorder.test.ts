import { expect, test } from "vitest";
import { AttemptRecorder } from "./attempt-recorder.ts";
import type { AttemptRecorderOptions } from "./attempt-recorder.ts";

const holder = { nodeId: "node", epoch: 1 };

/** A recorder whose store fails this often, and whose timers fire at once. */
function play(failures: number) {
  const released: string[] = [];
  const troubles: string[] = [];
  const pauses: number[] = [];
  let left = failures;
  const store: AttemptRecorderOptions["store"] = {
    recordAttempts: () => Promise.reject(new Error("not asked for")),
    releaseClaims: async (_, messageIds) => {
      if (left-- > 0) throw new Error("the store is away");
      released.push(...messageIds);
    },
  };
  const recorder = new AttemptRecorder({
    store,
    timers: {
      after(delayMs, callback) {
        pauses.push(delayMs);
        setImmediate(callback);
        return { cancel: () => {} };
      },
    },
    observer: {
      claimed() {},
      attemptStarted() {},
      attemptEnded() {},
      inFlight() {},
      trouble: (_, doing) => void troubles.push(doing),
    },
  });
  return { recorder, released, troubles, pauses };
}

test("a claim is released as soon as the store accepts it", async () => {
  const { recorder, released, troubles, pauses } = play(3);
  await recorder.release(holder, "m");
  expect(released).toEqual(["m"]);
  expect(troubles).toEqual(["releasing m", "releasing m", "releasing m"]);
  expect(pauses).toEqual([100, 200, 400]);
});

test("a process that ends tries once more, and then leaves the claim to others", async () => {
  const { recorder, released, troubles } = play(Infinity);
  recorder.giveUp();
  await recorder.release(holder, "m");
  expect(released).toEqual([]);
  expect(troubles).toHaveLength(1);
});
