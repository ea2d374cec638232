import { expect, test } from "vitest";
import { Courier } from "./courier.ts";
import type { CourierOptions } from "./courier.ts";

const unused = (): never => {
  throw new Error("this test sends nothing");
};

/** A courier without a webhook, whose looks take as long as the test says. */
function lookingCourier() {
  const delays: number[] = [];
  let goOff = (): void => {};
  let now = 0;
  let tookMs = 0;
  const options: CourierOptions = {
    store: {
      takeWebhooks: async () => {
        now += tookMs;
        return [];
      },
      readEvents: unused,
      recordBatch: unused,
      clock: { now: () => now },
    },
    logs: { ask: unused, watch: unused },
    drainTimeoutMs: 0,
    sender: { send: unused },
    openWebhook: unused,
    writeEvent: unused,
    membership: { holder: { nodeId: "a", epoch: 1 } },
    clock: { monotonic: () => now },
    timers: {
      after(delayMs, callback) {
        delays.push(delayMs);
        goOff = () => {
          now += delayMs;
          callback();
        };
        return { cancel() {} };
      },
    },
    random: { fraction: () => 0 },
    observer: { trouble: unused },
  };
  const look = async (lookMs: number): Promise<number> => {
    tookMs = lookMs;
    goOff();
    await new Promise(setImmediate);
    return delays.at(-1)!;
  };
  return { courier: new Courier(options), look, delays };
}

test("looks at webhooks take a tenth of the time, however often callers change theirs", async () => {
  const { courier, look, delays } = lookingCourier();
  await courier.start();
  expect(await look(2)).toBe(2_000);
  expect(await look(400)).toBe(3_600);
  // Many change theirs while the look rests.
  for (let count = 0; count < 3; count++) courier.noteEndpoint({ accountId: "acc_a" });
  expect(delays.at(-1)).toBe(3_600);
  expect(await look(60_000)).toBe(10_000);
  expect(await look(1)).toBe(2_000);
  courier.noteEndpoint();
  expect(delays.at(-1)).toBe(50);
  await courier.stop();
});
