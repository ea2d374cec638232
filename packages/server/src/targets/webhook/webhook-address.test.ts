import type { LookupAddress } from "node:dns";
import { afterEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { createAddressPolicy } from "../network/address-policy.ts";
import type { HostLookup } from "../network/host-lookup.ts";
import { accountId, deliveryTo, openTarget, settingsFor } from "./testing/deliveries.ts";
import { startReceiver } from "./testing/receivers.ts";

afterEach(() => vi.useRealTimers());

const publicOnly = createAddressPolicy([]);
const loopback: LookupAddress = { address: "127.0.0.1", family: 4 };
const elsewhere: LookupAddress = { address: "93.184.215.14", family: 4 };

/** Answers each look-up with the next of the given lists, then repeats the last. */
function resolvingTo(...answers: readonly (readonly LookupAddress[])[]): HostLookup {
  let count = 0;
  return (_hostname, _options, callback) => {
    const answer = answers[Math.min(count, answers.length - 1)] ?? [];
    count += 1;
    callback(null, [...answer]);
  };
}

const refused = { code: "E-DI-3005", field: "url" };

const spellings = [
  "127.0.0.1",
  "2130706433",
  "0x7f.1",
  "0177.0.0.1",
  "127.1",
  "①②⑦.0.0.1",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "100.64.0.1",
  "169.254.169.254",
  "[fd00:ec2::254]",
  "0.0.0.0",
  "0",
  "10.0.0.1",
];

describe("addresses in the URL", () => {
  test.each(spellings)("http://%s/ is refused at configuration", async (host) => {
    const problems = await openTarget({ addressPolicy: publicOnly }).check(
      settingsFor(`http://${host}/`),
      accountId,
    );
    expect(problems).toMatchObject([refused]);
  });

  test.each(spellings)("http://%s/ is refused at the attempt", async (host) => {
    const report = await openTarget({ addressPolicy: publicOnly }).deliver(
      deliveryTo(`http://${host}/`),
    );
    expect(report).toMatchObject({ outcome: "ADDRESS_REFUSED", statusCode: null });
  });

  test("nothing reaches a refused address", async () => {
    const receiver = await startReceiver();
    const target = openTarget({ addressPolicy: publicOnly });
    const report = await target.deliver(deliveryTo(receiver.url));
    expect(report).toMatchObject({
      outcome: "ADDRESS_REFUSED",
      error: "the address of 127.0.0.1 is not allowed",
    });
    expect(receiver.connectionCount()).toBe(0);
  });

  test("a public one passes the check", async () => {
    expect(await openTarget().check(settingsFor("https://8.8.8.8/"), accountId)).toEqual([]);
  });
});

describe("names", () => {
  test("localhost is refused at configuration and at the attempt", async () => {
    const target = openTarget({ addressPolicy: publicOnly });
    const receiver = await startReceiver();
    const url = `http://localhost:${receiver.port}/`;
    expect(await target.check(settingsFor(url), accountId)).toMatchObject([refused]);
    expect((await target.deliver(deliveryTo(url))).outcome).toBe("ADDRESS_REFUSED");
    expect(receiver.connectionCount()).toBe(0);
  });

  test.each(["localhost.", "a.localhost", "a.b.LocalHost."])(
    "%s means this machine, even to a resolver that does not know it",
    async (name) => {
      const missing = Object.assign(new Error("no"), { code: "ENOTFOUND" });
      const lookup: HostLookup = (_hostname, _options, callback) => callback(missing, []);
      const settings = settingsFor(`http://${name}/`);
      const target = openTarget({ addressPolicy: publicOnly, lookup });
      expect(await target.check(settings, accountId)).toMatchObject([refused]);
      expect(await openTarget({ lookup }).check(settings, accountId)).toEqual([]);
    },
  );

  test("a name with any refused address is refused at configuration", async () => {
    const lookup = resolvingTo([elsewhere, loopback]);
    const target = openTarget({ addressPolicy: publicOnly, lookup });
    expect(await target.check(settingsFor("http://receiver.example/"), accountId)).toMatchObject([
      refused,
    ]);
  });

  test("a name that does not resolve at configuration is accepted", async () => {
    const missing = Object.assign(new Error("no"), { code: "ENOTFOUND" });
    const lookup: HostLookup = (_hostname, _options, callback) => callback(missing, []);
    expect(
      await openTarget({ lookup }).check(settingsFor("http://receiver.example/"), accountId),
    ).toEqual([]);
  });

  test("a look-up that hangs ends after two seconds", async () => {
    vi.useFakeTimers();
    const target = openTarget({ lookup: () => undefined });
    const checked = vi.fn();
    void target.check(settingsFor("http://receiver.example/"), accountId).then(checked);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(checked).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(checked).toHaveBeenCalledWith([]);
  });

  test("a URL with another problem is not looked up", async () => {
    const target = openTarget({ lookup: () => expect.unreachable() });
    const problems = await target.check(settingsFor("http://user@receiver.example/"), accountId);
    expect(problems).toMatchObject([{ code: "E-DI-1001", field: "url" }]);
  });

  test("problems of other fields are reported together with that of the address", async () => {
    const target = openTarget({ addressPolicy: publicOnly });
    const problems = await target.check(
      settingsFor("http://127.0.0.1/", { timeoutMs: 1 }),
      accountId,
    );
    expect(problems.map(({ field }) => field)).toEqual(["timeoutMs", "url"]);
  });

  test("rebinding: public at configuration, this machine at the attempt", async () => {
    const receiver = await startReceiver();
    const lookup = resolvingTo([elsewhere], [loopback]);
    let passedMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs };
    const target = openTarget({ addressPolicy: publicOnly, lookup, clock });
    const settings = settingsFor(`http://rebinding.example:${receiver.port}/`);
    expect(await target.check(settings, accountId)).toEqual([]);
    passedMs = 5_000;
    expect(await target.deliver(deliveryTo(settings))).toMatchObject({
      outcome: "ADDRESS_REFUSED",
      error: "the address of rebinding.example is not allowed",
    });
    expect(receiver.connectionCount()).toBe(0);
  });

  test("a cached answer is filtered like a fresh one", async () => {
    const receiver = await startReceiver();
    let lookups = 0;
    const answer = resolvingTo([loopback]);
    const lookup: HostLookup = (...question) => {
      lookups += 1;
      answer(...question);
    };
    const target = openTarget({ addressPolicy: publicOnly, lookup });
    const url = `http://receiver.example:${receiver.port}/`;
    const first = await target.deliver(deliveryTo(url));
    const second = await target.deliver(deliveryTo(url));
    expect([first.outcome, second.outcome]).toEqual(["ADDRESS_REFUSED", "ADDRESS_REFUSED"]);
    expect(lookups).toBe(1);
    expect(receiver.connectionCount()).toBe(0);
  });

  test("only the allowed ones among several addresses are tried", async () => {
    const receiver = await startReceiver();
    const addressPolicy = createAddressPolicy(["127.0.0.1/32"]);
    const lookup = resolvingTo([{ address: "10.255.255.1", family: 4 }, loopback]);
    const target = openTarget({ addressPolicy, lookup });
    const report = await target.deliver(deliveryTo(`http://receiver.example:${receiver.port}/`));
    expect(report.outcome).toBe("DELIVERED");
  });

  test("the address that was really reached is checked too, and gets no data if refused", async () => {
    const receiver = await startReceiver();
    let isAsked = false;
    // Allows the looked-up address, then refuses it once the connection is made.
    const addressPolicy = {
      allows: () => {
        const isFirst = !isAsked;
        isAsked = true;
        return isFirst;
      },
    };
    const target = openTarget({ addressPolicy, lookup: resolvingTo([loopback]) });
    const report = await target.deliver(deliveryTo(`http://receiver.example:${receiver.port}/`));
    expect(report.outcome).toBe("ADDRESS_REFUSED");
    await receiver.firstClose;
    expect(receiver.requests).toHaveLength(0);
  });
});
