import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemTimers, type Timers } from "../../platform/timers.ts";
import type { HostLookup } from "../network/host-lookup.ts";
import { accountId, deliveryTo, openTarget, settingsFor } from "./testing/deliveries.ts";
import { startReceiver } from "./testing/receivers.ts";

beforeEach(() => void vi.stubEnv("UV_THREADPOOL_SIZE", "32"));
afterEach(() => vi.unstubAllEnvs());

/** What thirty-two threads leave to look-ups: one more than these waits until one of them is over. */
const lookupThreads = 16;

/** A system on whose threads the names below deaf.example stay for ever. */
function deafSystem() {
  let free = lookupThreads;
  const deaf: string[] = [];
  const lookup: HostLookup = (hostname, _options, callback) => {
    if (free === 0) return;
    if (!hostname.endsWith("deaf.example")) {
      return callback(null, [{ address: "127.0.0.1", family: 4 }]);
    }
    free -= 1;
    deaf.push(hostname);
  };
  return { lookup, deaf };
}

/** No name becomes slow by and by and gives its place back: whoever waits for one waits for ever. */
const timers: Timers = {
  after: (delayMs, callback) =>
    delayMs === 2_000 ? { cancel: () => undefined } : systemTimers.after(delayMs, callback),
};

const hanging = (hostname: string) =>
  deliveryTo(settingsFor(`http://${hostname}/`, { timeoutMs: 60_000 }));

test("a target whose name is never answered holds up nobody else's", async () => {
  const receiver = await startReceiver();
  const { lookup, deaf } = deafSystem();
  const target = openTarget({ lookup, timers });
  for (let count = 0; count < 50; count++) void target.deliver(hanging("deaf.example"));
  const url = `http://receiver.example:${receiver.port}/`;
  const settings = settingsFor(url, { timeoutMs: 60_000 });
  expect(await target.deliver(deliveryTo(settings))).toMatchObject({ outcome: "DELIVERED" });
  expect(await target.check(settings, accountId)).toEqual([]);
  expect(deaf).toEqual(["deaf.example"]);
});

test("nor do fifty such targets, whose names are all new", async () => {
  const receiver = await startReceiver((response) => {
    response.writeHead(200, { connection: "close" }).end();
  });
  const { lookup, deaf } = deafSystem();
  const target = openTarget({ lookup, timers });
  const settings = settingsFor(`http://receiver.example:${receiver.port}/`, { timeoutMs: 60_000 });
  const before = await target.deliver(deliveryTo(settings));
  for (let number = 0; number < 50; number++)
    void target.deliver(hanging(`${number}.deaf.example`));
  const after = await target.deliver(deliveryTo(settings));
  expect([before.outcome, after.outcome]).toEqual(["DELIVERED", "DELIVERED"]);
  expect(deaf.length).toBeLessThan(lookupThreads);
});

test("an attempt that waits for a name ends with its own timeout", async () => {
  const target = openTarget({ lookup: deafSystem().lookup });
  const report = await target.deliver(
    deliveryTo(settingsFor("http://deaf.example/", { timeoutMs: 150 })),
  );
  expect(report).toMatchObject({ outcome: "TIMEOUT", error: expect.stringContaining("150 ms") });
});

test("nor do those of one account hold up another account's new names", async () => {
  const receiver = await startReceiver();
  const { lookup, deaf } = deafSystem();
  const target = openTarget({ lookup, timers });
  for (let number = 0; number < 50; number++)
    void target.deliver(hanging(`${number}.deaf.example`));
  const settings = settingsFor(`http://new.example:${receiver.port}/`, { timeoutMs: 60_000 });
  const report = await target.deliver(deliveryTo(settings, { accountId: "acc_2" }));
  expect(report).toMatchObject({ outcome: "DELIVERED" });
  const before = deaf.length;
  void target.check(settingsFor("http://more.deaf.example/"), "acc_2");
  expect(deaf.length).toBe(before + 1);
});
