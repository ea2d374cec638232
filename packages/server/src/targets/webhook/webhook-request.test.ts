import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { deliveryTo, openTarget, secrets, settingsFor } from "./testing/deliveries.ts";
import { startReceiver, type ReceivedRequest } from "./testing/receivers.ts";

async function received(...args: Parameters<typeof settingsFor>): Promise<ReceivedRequest> {
  const receiver = await startReceiver();
  const [path, rest] = args;
  const settings = settingsFor(new URL(path, receiver.url).href, rest);
  const report = await openTarget().deliver(deliveryTo(settings));
  expect(report).toMatchObject({ outcome: "DELIVERED", statusCode: 200, error: null });
  return receiver.requests[0]!;
}

test("posts the payload to the path and query of the URL", async () => {
  const request = await received("/hook/ä?tenant=1&x=%20");
  expect(request.method).toBe("POST");
  expect(request.path).toBe("/hook/%C3%A4?tenant=1&x=%20");
  expect(request.body.toString()).toBe("hello");
});

test("sends its own headers", async () => {
  const { headers } = await received("/");
  expect(headers).toMatchObject({
    "content-type": "text/plain; charset=utf-8",
    "content-length": "5",
    "user-agent": "Postdate/1.2.3",
    "webhook-id": "msg_01",
    "postdate-attempt": "1",
    "postdate-target": "billing",
    "postdate-original-delivery-time": "2026-11-14T09:30:00.007Z",
  });
  expect(headers).not.toHaveProperty("transfer-encoding");
  expect(Object.keys(headers).filter((name) => /schedule|run/.test(name))).toEqual([]);
});

test("names the schedule that made the message, and the run", async () => {
  const receiver = await startReceiver();
  const schedule = { scheduleId: "weekday-digest", runTime: Date.UTC(2026, 10, 16, 8) };
  await openTarget().deliver(deliveryTo(receiver.url, { schedule }));
  expect(receiver.requests[0]!.headers).toMatchObject({
    "postdate-schedule": "weekday-digest",
    "postdate-run-time": "2026-11-16T08:00:00.000Z",
  });
});

test("sends the target's headers and content type", async () => {
  const { headers } = await received("/", {
    contentType: "application/json",
    headers: { Authorization: "Bearer abc", "X-Empty": "" },
  });
  expect(headers).toMatchObject({
    "content-type": "application/json",
    authorization: "Bearer abc",
    "x-empty": "",
    "user-agent": "Postdate/1.2.3",
  });
});

test("lets the target's headers replace the user agent", async () => {
  const { headers } = await received("/", { headers: { "User-AGENT": "mine" } });
  expect(headers["user-agent"]).toBe("mine");
});

test("signs so that the reference implementation verifies", async () => {
  const receiver = await startReceiver();
  const startTime = systemClock.now();
  await openTarget().deliver(deliveryTo(receiver.url, { startTime, attemptNumber: 7 }));
  const { body, headers } = receiver.requests[0]!;
  expect(headers["webhook-timestamp"]).toBe(String(Math.floor(startTime / 1_000)));
  expect(headers["postdate-attempt"]).toBe("7");
  const webhook = new Webhook(secrets.current);
  const plainHeaders = headers as Record<string, string>;
  expect(() => webhook.verify(body, plainHeaders, { jsonParse: false })).not.toThrow();
  const tampered = Buffer.concat([body, Buffer.from("!")]);
  expect(() => webhook.verify(tampered, plainHeaders, { jsonParse: false })).toThrow();
});

test("signs with both secrets while they overlap", async () => {
  const receiver = await startReceiver();
  const startTime = systemClock.now();
  const previous = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;
  const rotating = { ...secrets, previous, previousUntil: startTime + 1 };
  await openTarget().deliver(deliveryTo(receiver.url, { startTime, secrets: rotating }));
  const { body, headers } = receiver.requests[0]!;
  for (const secret of [secrets.current, previous]) {
    const webhook = new Webhook(secret);
    const plainHeaders = headers as Record<string, string>;
    expect(() => webhook.verify(body, plainHeaders, { jsonParse: false })).not.toThrow();
  }
});

test("delivers 61,440 emoji, NUL and U+2028 byte for byte", async () => {
  const receiver = await startReceiver();
  const payload = Buffer.from(`\u0000\u2028${"😀".repeat(61_438)}`);
  const report = await openTarget().deliver(deliveryTo(receiver.url, { payload }));
  expect(report.outcome).toBe("DELIVERED");
  expect(receiver.requests[0]!.body.equals(payload)).toBe(true);
  expect(receiver.requests[0]!.headers["content-length"]).toBe(String(payload.length));
});

test("an empty payload gives an empty body with a content length", async () => {
  const receiver = await startReceiver();
  await openTarget().deliver(deliveryTo(receiver.url, { payload: Buffer.alloc(0) }));
  expect(receiver.requests[0]).toMatchObject({ headers: { "content-length": "0" } });
  expect(receiver.requests[0]!.body).toHaveLength(0);
});

test.each([
  { "x-a": "1\r\nx-injected: 1" },
  { "x-a\r\nx-injected": "1" },
  { Host: "elsewhere.example" },
  { "Content-Length": "0" },
  { "Transfer-Encoding": "chunked" },
])("sends nothing with settings that were never checked: %j", async (headers) => {
  const receiver = await startReceiver();
  const report = await openTarget().deliver(deliveryTo(settingsFor(receiver.url, { headers })));
  expect(report).toMatchObject({ outcome: "MISCONFIGURED", statusCode: null });
  expect(receiver.connectionCount()).toBe(0);
});

test("sends nothing unsigned", async () => {
  const receiver = await startReceiver();
  const broken = { ...secrets, current: "whsec_" };
  const report = await openTarget().deliver(deliveryTo(receiver.url, { secrets: broken }));
  expect(report.outcome).toBe("MISCONFIGURED");
  expect(report.error).not.toContain("whsec_");
  expect(receiver.connectionCount()).toBe(0);
});

test("reuses a connection, and uses changed settings and secrets", async () => {
  const receiver = await startReceiver((response) => response.end("x".repeat(16 * 1_024)));
  const target = openTarget();
  const names = ["one", "two", "three", "four", "five", "six"];
  for (const name of names) {
    const settings = settingsFor(receiver.url, { headers: { "x-name": name } });
    expect((await target.deliver(deliveryTo(settings))).outcome).toBe("DELIVERED");
  }
  expect(receiver.requests.map(({ headers }) => headers["x-name"])).toEqual(names);
  // A connection becomes free one tick of the event loop after its answer, so two connections alternate.
  expect(receiver.connectionCount()).toBeLessThanOrEqual(2);
});

test("concurrent attempts each get a connection and their own answer", async () => {
  const receiver = await startReceiver((response, { body }) => response.end(body));
  const target = openTarget();
  const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`);
  const reports = await Promise.all(
    texts.map((text) => target.deliver(deliveryTo(receiver.url, { payload: Buffer.from(text) }))),
  );
  expect(reports.map(({ response }) => response)).toEqual(texts);
});
