import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { systemTimers, type Timers } from "../../platform/timers.ts";
import type { HostLookup } from "../network/host-lookup.ts";
import { deliveryTo, openTarget, settingsFor } from "./testing/deliveries.ts";
import { startFullListener } from "./testing/full-listener.ts";

const here: LookupAddress = { address: "127.0.0.1", family: 4 };
/** Refuses connections at once, like an address without a route, unless a test listens there. */
const nobody: LookupAddress = { address: "127.0.0.2", family: 4 };

const resolvingTo =
  (...addresses: LookupAddress[]): HostLookup =>
  (_hostname, _options, callback) =>
    callback(null, addresses);

/** The system's timers, which report when one of them has fired. */
function watchedTimers(passed: (delayMs: number) => void): Timers {
  return {
    after: (delayMs, callback) =>
      systemTimers.after(delayMs, () => {
        callback();
        passed(delayMs);
      }),
  };
}

const patientMs = 60_000;

test("the attempt does not give up an address whose handshake is slow", async () => {
  const listener = await startFullListener();
  // By now one packet was lost. A later one gets through.
  const timers = watchedTimers((delayMs) => {
    if (delayMs === 250) listener.accept();
  });
  const target = openTarget({ timers, lookup: resolvingTo(here, nobody) });
  const settings = settingsFor(`http://both.example:${listener.port}/`, { timeoutMs: patientMs });
  expect(await target.deliver(deliveryTo(settings))).toMatchObject({ outcome: "DELIVERED" });
});

test("the attempt reaches the next address after one that never answers", async () => {
  const listener = await startFullListener();
  const server = createServer((_request, response) => response.end());
  onTestFinished(() => void server.close());
  server.listen(listener.port, nobody.address);
  await once(server, "listening");
  const target = openTarget({ lookup: resolvingTo(here, nobody) });
  const settings = settingsFor(`http://both.example:${listener.port}/`, { timeoutMs: patientMs });
  expect(await target.deliver(deliveryTo(settings))).toMatchObject({ outcome: "DELIVERED" });
});

test("if no address answers, the attempt ends with its own timeout", async () => {
  const listener = await startFullListener();
  const target = openTarget({ lookup: resolvingTo(here, nobody) });
  const settings = settingsFor(`http://both.example:${listener.port}/`, { timeoutMs: 600 });
  expect(await target.deliver(deliveryTo(settings))).toMatchObject({ outcome: "TIMEOUT" });
});
