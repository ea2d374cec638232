import { beforeAll, describe, expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { anyInstant, expectMessage, expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";
import { onBothStores } from "./support/on-both-stores.ts";
import { refusedOptions } from "./support/refused-options.ts";

const hour = 3_600_000;
const day = 24 * hour;
const later = (deliveryTime: string, ms: number): string =>
  new Date(Date.parse(deliveryTime) + ms).toISOString();

const backoff = { kind: "list", delaysMs: [1_000], jitter: 0 };
const everyOption = {
  labels: { order: "4711", "a.b-c_9": "ü€😀" },
  retryPolicy: { maxAttempts: 3, backoff },
  notAfterMs: hour,
  headers: { "X-Shop": "berlin", authorization: "Basic eDp5eDp5" },
  contentType: "application/json",
  timeoutMs: 2_000,
  flexWindowMs: 60_000,
};

/** How an answer shows them. */
const shown = {
  ...everyOption,
  retryPolicy: { maxAttempts: 3, backoff, finalStatuses: [], maxRetryAfterMs: hour },
  notAfter: later(farAway, hour),
  headers: { "X-Shop": "set", authorization: "set" },
};

onBothStores((service) => {
  let target: ScriptedTarget;
  let good: { readonly targetId: string; readonly payload: string; readonly deliveryTime: string };
  beforeAll(async () => {
    target = await service.target();
    good = { targetId: target.targetId, payload: "hello", deliveryTime: farAway };
  });

  const schedule = (body: object, headers: Record<string, string> = {}) =>
    service.api("POST", "/v1/messages", { body, headers });
  const read = (messageId: string) => service.ok("GET", `/v1/messages/${messageId}`);

  describe("an answer", () => {
    test("shows nothing of options where none is set", async () => {
      const { body } = await schedule(good);
      const plain = { state: "SCHEDULED", nextDeliveryTime: farAway };
      expectMessage(body, plain);
      expectMessage(await read(body.messageId), plain);
    });

    test("shows nothing of options that say nothing", async () => {
      const { body } = await schedule({ ...good, labels: {}, headers: {}, flexWindowMs: 0 });
      expectMessage(body, { state: "SCHEDULED", nextDeliveryTime: farAway });
    });

    test("shows every option that is set, wherever the message appears", async () => {
      const { status, body } = await schedule({ ...good, ...everyOption });
      expect(status).toBe(200);
      expectMessage(body, { ...shown, state: "SCHEDULED", nextDeliveryTime: anyInstant });
      expect(await read(body.messageId)).toStrictEqual(body);
      const list = await service.ok(
        "GET",
        `/v1/targets/${target.targetId}/scheduled-messages?limit=100`,
      );
      expect(list.items).toContainEqual(body);
      const path = `/v1/messages/${body.messageId}`;
      const cancelled = await service.ok("POST", `${path}/cancel`);
      expectMessage(cancelled, {
        ...shown,
        state: "CANCELLED",
        cancellationTime: anyInstant,
        expirationTime: anyInstant,
      });
    });

    test("shows each option alone, without the others", async () => {
      for (const name of Object.keys(everyOption) as (keyof typeof everyOption)[]) {
        const { body } = await schedule({ ...good, [name]: everyOption[name] });
        expectMessage(body, {
          state: "SCHEDULED",
          nextDeliveryTime: anyInstant,
          [name]: shown[name],
          ...(name === "notAfterMs" && { notAfter: shown.notAfter }),
        });
        expect(await read(body.messageId)).toStrictEqual(body);
      }
    });

    test("shows a bound given as a time as that time", async () => {
      const { body } = await schedule({ ...good, notAfter: "2999-01-01T02:00:00+01:00" });
      expectMessage(body, {
        state: "SCHEDULED",
        nextDeliveryTime: farAway,
        notAfter: "2999-01-01T01:00:00.000Z",
      });
    });
  });

  describe("every limit", () => {
    const most = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`${index}`.padStart(40, "n"), "😀".repeat(100)]),
    );
    const longest: readonly [what: string, option: object][] = [
      ["labels", { labels: most }],
      ["headers", { headers: { "x-a": "v".repeat(2_045), "x-b": "v".repeat(2_045) } }],
      ["a content type", { contentType: `a/${"b".repeat(253)}` }],
      ["timeouts", { timeoutMs: 300_000 }],
      ["a window", { flexWindowMs: day }],
      ["a bound", { notAfterMs: 31_622_400_000_000 }],
      ["attempts", { retryPolicy: { maxAttempts: 100 } }],
    ];
    test.each(longest)("allows what it says: %s", async (_, option) => {
      const { status, body } = await schedule({ ...good, ...option });
      expect([status, body.errors]).toEqual([200, undefined]);
      expect(await read(body.messageId)).toStrictEqual(body);
    });

    test.each(refusedOptions)("refuses %s", async (_, option, field, says) => {
      const answer = await schedule({ ...good, ...option });
      expectRefusal(answer, 400, { code: "E-DI-1001", field });
      expect(answer.body.errors[0].message).toMatch(says);
    });

    test("is told together with every other problem", async () => {
      const answer = await schedule({
        ...good,
        targetId: "nobody",
        deliveryTime: "soon",
        notAfterMs: 0,
        flexWindowMs: -1,
        labels: { A: "v" },
        headers: { host: "v" },
      });
      const fields = ["deliveryTime", "notAfterMs", "flexWindowMs", "labels.A", "headers.host"];
      const problems = fields.map((field) => ({ code: "E-DI-1001", field }));
      expectRefusal(answer, 400, ...problems, { code: "E-DI-3001", field: "targetId" });
    });

    test("of a batch refuses one item and schedules the others", async () => {
      const items = refusedOptions.flatMap(([, option]) => [
        { ...good, ...option },
        { ...good, ...everyOption },
      ]);
      const { status, body } = await service.api("POST", "/v1/messages/batch", {
        body: { messages: items },
      });
      expect(status).toBe(200);
      for (const [index, [what, , field, says]] of refusedOptions.entries()) {
        const [refused, accepted] = body.results.slice(2 * index, 2 * index + 2);
        expect(refused.errors, what).toMatchObject([{ code: "E-DI-1001", field }]);
        expect(refused.errors[0].message, what).toMatch(says);
        expectMessage(accepted.message, {
          ...shown,
          state: "SCHEDULED",
          nextDeliveryTime: anyInstant,
        });
      }
    });
  });

  describe("a bound", () => {
    test.each([
      ["the delivery time itself", 0],
      ["a time before it", -1],
    ])("of %s is refused", async (_, ms) => {
      const answer = await schedule({ ...good, notAfter: later(farAway, ms) });
      expectRefusal(answer, 400, { code: "E-DI-1001", field: "notAfter" });
    });

    test("that is over is refused, by whichever way the delivery time is given", async () => {
      const over = { notAfter: inMs(-1_000) };
      for (const time of [{ delayMs: 0 }, { deliveryTime: "2020-01-01T00:00:00Z" }]) {
        const answer = await schedule({ ...good, deliveryTime: undefined, ...time, ...over });
        expectRefusal(answer, 400, { code: "E-DI-1001", field: "notAfter" });
      }
      const passed = { deliveryTime: "2020-01-01T00:00:00Z", notAfterMs: 1_000 };
      const answer = await schedule({ ...good, ...passed });
      expectRefusal(answer, 400, { code: "E-DI-1001", field: "notAfter" });
    });

    test("counts from a delay as from a time", async () => {
      const { body } = await schedule({
        ...good,
        deliveryTime: undefined,
        delayMs: hour,
        notAfterMs: 5,
      });
      expect(body.notAfter).toBe(later(body.originalDeliveryTime, 5));
    });

    test("ends with the year 9999, like every time", async () => {
      const last = "9999-12-31T23:59:59.999Z";
      const { body } = await schedule({
        ...good,
        deliveryTime: later(last, -1),
        notAfterMs: hour,
        flexWindowMs: hour,
      });
      expect(body).toMatchObject({ notAfter: last, nextDeliveryTime: later(last, -1) });
      const unbounded = await schedule({ ...good, deliveryTime: last, flexWindowMs: day });
      expect(unbounded.body.nextDeliveryTime).toBe(last);
      const answer = await schedule({ ...good, deliveryTime: last, notAfterMs: hour });
      expectRefusal(answer, 400, { code: "E-DI-1001", field: "notAfter" });
    });
  });

  describe("a window", () => {
    const windowOf = async (change: object): Promise<number[]> => {
      const messages = Array.from({ length: 50 }, () => ({ ...good, ...change }));
      const { results } = await service.ok("POST", "/v1/messages/batch", { body: { messages } });
      return results.map(
        ({ message }: { message: Record<string, string> }) =>
          Date.parse(message["nextDeliveryTime"]!) - Date.parse(message["originalDeliveryTime"]!),
      );
    };

    test("spreads messages over itself", async () => {
      const delays = await windowOf({ flexWindowMs: day });
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...delays)).toBeLessThanOrEqual(day);
      // Fifty ids that all fell into the same half would mean no spread.
      expect(delays.some((delay) => delay < day / 2)).toBe(true);
      expect(delays.some((delay) => delay > day / 2)).toBe(true);
      expect(new Set(delays).size).toBeGreaterThan(40);
    });

    test("ends before the bound", async () => {
      const delays = await windowOf({ flexWindowMs: day, notAfterMs: 10 });
      expect(Math.max(...delays)).toBeLessThanOrEqual(9);
      expect(new Set(delays).size).toBeGreaterThan(1);
    });

    test("applies to a reschedule too, with the same place for the same message", async () => {
      const { body } = await schedule({ ...good, flexWindowMs: day });
      const moved = await service.ok("POST", `/v1/messages/${body.messageId}/reschedule`, {
        body: { deliveryTime: later(farAway, hour) },
      });
      expect(moved.nextDeliveryTime).toBe(later(body.nextDeliveryTime, hour));
      expect(moved.flexWindowMs).toBe(day);
    });
  });

  describe("an idempotency key", () => {
    const reversed = (record: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(Object.entries(record).toReversed());

    test("converges with the same options, in whichever order they are written", async () => {
      const key = { "idempotency-key": "with-options" };
      const first = await schedule({ ...good, ...everyOption }, key);
      const again = await schedule(
        reversed({
          ...good,
          ...everyOption,
          labels: reversed(everyOption.labels),
          headers: reversed(everyOption.headers),
        }),
        key,
      );
      expect([again.status, again.body]).toStrictEqual([200, first.body]);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
    });

    test("converges after the bound has come", async () => {
      const own = await service.target({ paused: true });
      const body = { ...good, targetId: own.targetId, deliveryTime: inMs(0), notAfterMs: 1_000 };
      const key = { "idempotency-key": "outrun" };
      const first = await schedule(body, key);
      await service.reaches(first.body.messageId, "DEAD_LETTER");
      expect((await schedule(body, key)).body).toStrictEqual(first.body);
    });

    const differing: readonly [what: string, change: object][] = [
      ["labels", { labels: { ...everyOption.labels, order: "4712" } }],
      ["fewer labels", { labels: { order: "4711" } }],
      ["no labels", { labels: undefined }],
      ["a retry policy", { retryPolicy: { maxAttempts: 4, backoff } }],
      ["a bound", { notAfterMs: hour + 1 }],
      ["a bound of the same instant", { notAfterMs: undefined, notAfter: shown.notAfter }],
      ["a header's value", { headers: { ...everyOption.headers, "X-Shop": "bonn" } }],
      ["a content type", { contentType: "text/html" }],
      ["a timeout", { timeoutMs: 2_001 }],
      ["a window", { flexWindowMs: 60_001 }],
    ];
    test.each(differing)("is refused for %s", async (what, change) => {
      const key = { "idempotency-key": `differs-${what.replaceAll(" ", "-")}` };
      await schedule({ ...good, ...everyOption }, key);
      const answer = await schedule({ ...good, ...everyOption, ...change }, key);
      expectRefusal(answer, 422, { code: "E-DI-5007", field: "Idempotency-Key" });
    });

    test("of a plain message does not cover one with options, nor the other way round", async () => {
      const plain = { "idempotency-key": "first-plain" };
      await schedule(good, plain);
      const second = await schedule({ ...good, labels: { a: "b" } }, plain);
      expectRefusal(second, 422, { code: "E-DI-5007", field: "Idempotency-Key" });
      const optional = { "idempotency-key": "first-optional" };
      await schedule({ ...good, labels: { a: "b" } }, optional);
      expectRefusal(await schedule(good, optional), 422, {
        code: "E-DI-5007",
        field: "Idempotency-Key",
      });
    });

    test("is free again after a bound was refused", async () => {
      const key = { "idempotency-key": "refused-bound" };
      const over = { ...good, deliveryTime: "2020-01-01T00:00:00Z", notAfterMs: 1 };
      expect((await schedule(over, key)).status).toBe(400);
      expect((await schedule({ ...good, labels: { a: "b" } }, key)).status).toBe(200);
    });

    test("of an item of a batch covers its options", async () => {
      const item = { ...good, labels: { a: "b" }, idempotencyKey: "item-with-options" };
      const send = (...messages: object[]) =>
        service.ok("POST", "/v1/messages/batch", { body: { messages } });
      const [first] = (await send(item)).results;
      const [again, other] = (await send(item, { ...item, labels: { a: "c" } })).results;
      expect(again).toStrictEqual({ message: first.message, replayed: true });
      expect(other.errors).toMatchObject([{ code: "E-DI-5007", field: "idempotencyKey" }]);
    });
  });
});
