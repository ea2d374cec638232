import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemTimers, type Timers } from "../../platform/timers.ts";
import type { HostLookup } from "../network/host-lookup.ts";
import { accountId, deliveryTo, openTarget, settingsFor } from "./testing/deliveries.ts";
import { startReceiver } from "./testing/receivers.ts";

beforeEach(() => void vi.stubEnv("UV_THREADPOOL_SIZE", "32"));
afterEach(() => vi.unstubAllEnvs());

/** The look-ups that thirty-two threads allow at once. One more waits until one of these is over. */
const lookupThreads = 16;

/** A system on whose threads the look-ups of names below deaf.example never end. */
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

/**
 * These timers never fire. So no name becomes slow and gives its place back, and a caller that waits for a
 * place waits for ever.
 */
const timers: Timers = {
  after: (delayMs, callback) =>
    delayMs === 2_000 ? { cancel: () => undefined } : systemTimers.after(delayMs, callback),
};

const hanging = (hostname: string) =>
  deliveryTo(settingsFor(`http://${hostname}/`, { timeoutMs: 60_000 }));

test("a target whose name never resolves does not delay other targets", async () => {
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

test("fifty such targets with new names do not delay others either", async () => {
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

test("such targets of one account do not delay another account's new names", async () => {
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
