import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { paintFor } from "../terminal/colours.ts";
import { messageId } from "../testing/samples.ts";
import { deliverSigned } from "../testing/signed-delivery.ts";
import { deliveryLine } from "./delivery-line.ts";
import { startReceiver, type ReceivedDelivery, type Receiver } from "./receiver.ts";

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const paint = paintFor({ write: () => {} }, {});
let receiver: Receiver | undefined;

afterEach(() => receiver?.close());

async function started(): Promise<{ readonly url: string; readonly seen: ReceivedDelivery[] }> {
  const seen: ReceivedDelivery[] = [];
  receiver = await startReceiver({
    port: 0,
    clock: systemClock,
    secret,
    dueAt: async () => 1_000,
    onDelivery: (delivery) => void seen.push(delivery),
  });
  return { url: receiver.url, seen };
}

function deliver(url: string, payload = "hello", signedBy = secret): Promise<Response> {
  return deliverSigned({ url, secret: signedBy, messageId, now: systemClock.now(), payload });
}

test("answers 200 and reports the delivery byte for byte", async () => {
  const { url, seen } = await started();
  const payload = "a\u0000\u2028😀";
  expect((await deliver(url, payload)).status).toBe(200);
  expect(seen).toMatchObject([
    { messageId, attempt: "1", dueAt: 1_000, status: 200, signatureFault: undefined },
  ]);
  expect(Buffer.from(seen[0]!.body)).toEqual(Buffer.from(payload));
});

test("fails the given number of deliveries with the given status", async () => {
  const { url } = await started();
  const told = await fetch(`${url}/fail?count=2&status=500`, { method: "POST" });
  expect(await told.text()).toBe("The next 2 deliveries are answered with 500.\n");
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) statuses.push((await deliver(url)).status);
  expect(statuses).toEqual([500, 500, 200]);
  await fetch(`${url}/fail?count=5`, { method: "POST" });
  await fetch(`${url}/fail?count=0`, { method: "POST" });
  expect((await deliver(url)).status).toBe(200);
});

test.each(["count=x", "count=-1", "count=1000001", "status=200", "status=600", "status=abc"])(
  "does not treat %s as an order to fail",
  async (query) => {
    const { url } = await started();
    expect((await fetch(`${url}/fail?${query}`, { method: "POST" })).status).toBe(400);
    expect((await deliver(url)).status).toBe(200);
  },
);

test("refuses and shows a wrong signature, without using up a planned failure", async () => {
  const { url, seen } = await started();
  await fetch(`${url}/fail?count=1`, { method: "POST" });
  const other = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
  expect((await deliver(url, "x", other)).status).toBe(401);
  expect((await fetch(url, { method: "POST", body: "x" })).status).toBe(401);
  expect(seen.map(({ signatureFault }) => signatureFault)).toEqual([
    "wrong signature",
    "not signed",
  ]);
  expect((await deliver(url)).status).toBe(503);
  receiver!.useSecret(other);
  expect((await deliver(url, "x", other)).status).toBe(200);
});

test("other methods and endless bodies are refused", async () => {
  const { url, seen } = await started();
  expect((await fetch(url)).status).toBe(405);
  expect((await deliver(url, "x".repeat(1024 * 1024 + 1))).status).toBe(413);
  expect(seen).toEqual([]);
});

test("a delivery is one line, with any payload", () => {
  const delivery: ReceivedDelivery = {
    messageId,
    attempt: "2",
    receivedAt: 1_794_648_600_003,
    dueAt: 1_794_648_600_000,
    status: 200,
    signatureFault: undefined,
    body: Buffer.from("line\n\u001b[2Jx"),
  };
  expect(deliveryLine(delivery, paint)).toBe(
    `09:30:00.003Z     +3 ms  ${messageId}  attempt 2  200  10 B  line\\n\\u001b[2Jx\n`,
  );
  const long = { ...delivery, dueAt: null, status: 401, signatureFault: "not signed" };
  const line = deliveryLine({ ...long, body: Buffer.from("\n".repeat(5_000)) }, paint);
  expect(line).toContain("401  SIGNATURE: not signed  5000 B");
  expect(line.length).toBeLessThan(180);
});

function askToFail(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/fail?count=1`, { method: "POST", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on("error", reject).end();
  });
}

test.each([
  ["of another origin", { origin: "https://evil.example" }],
  ["of no origin", { origin: "null" }],
  ["that a browser sends for another site", { "sec-fetch-site": "cross-site" }],
  ["that a browser sends for the same site", { "sec-fetch-site": "same-site" }],
  ["for a name that leads here", { host: "evil.example:7071" }],
  ["for a name that begins like this machine", { host: "127.0.0.1.evil.example" }],
])("refuses an order to fail %s", async (_what, headers) => {
  const { url } = await started();
  expect(await askToFail(url, headers)).toBe(403);
  expect((await deliver(url)).status).toBe(200);
});

test.each([{}, { host: "localhost" }, { "sec-fetch-site": "none" }])(
  "accepts an order to fail from this machine: %j",
  async (headers: Readonly<Record<string, string>>) => {
    const { url } = await started();
    expect(await askToFail(url, headers)).toBe(200);
    expect((await deliver(url)).status).toBe(503);
  },
);
