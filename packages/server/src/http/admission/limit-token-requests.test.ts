import { fastify } from "fastify";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limitTokenRequests } from "./limit-token-requests.ts";

let now: number;
let refused: number;
let app: FastifyInstance;
beforeEach(() => {
  now = 5_000;
  refused = 0;
  app = fastify({ trustProxy: ["127.0.0.1/32"] });
  const limit = limitTokenRequests({
    limit: { max: 3, intervalMs: 60_000 },
    clock: { monotonic: () => now },
    onLimited: () => refused++,
    capacity: 3,
  });
  app.post("/oauth/token", { onRequest: limit }, async () => ({ ok: true }));
});
afterEach(() => app.close());

const ask = (from: string) =>
  app.inject({ method: "POST", url: "/oauth/token", headers: { "x-forwarded-for": from } });
const statuses = async (...addresses: string[]) => {
  const found: number[] = [];
  for (const address of addresses) found.push((await ask(address)).statusCode);
  return found;
};

test("an address over its limit gets 429 in the format of OAuth until the limit allows one again", async () => {
  const first = await ask("192.0.2.1");
  expect(first.statusCode).toBe(200);
  expect(first.headers).toMatchObject({
    "ratelimit-policy": '"token-requests";q=3;w=60',
    ratelimit: '"token-requests";r=2;t=20',
  });
  expect(await statuses("192.0.2.1", "192.0.2.1")).toEqual([200, 200]);
  const beyond = await ask("192.0.2.1");
  expect(beyond.statusCode).toBe(429);
  expect(beyond.headers).toMatchObject({
    "retry-after": "20",
    "content-type": "application/json; charset=utf-8",
    ratelimit: '"token-requests";r=0;t=20',
  });
  expect(beyond.json()).toEqual({
    error: "temporarily_unavailable",
    error_description: expect.stringContaining("Wait 20 s"),
  });
  expect(await statuses("192.0.2.2")).toEqual([200]);
  now += 19_500;
  expect((await ask("192.0.2.1")).headers["retry-after"]).toBe("1");
  now += 500;
  expect(await statuses("192.0.2.1", "192.0.2.1")).toEqual([200, 429]);
  expect(refused).toBe(3);
});

test("a whole /64 counts as one address, and so do the two spellings of an IPv4 address", async () => {
  const one = ["2001:db8::1", "2001:db8::ffff:0:0:1", "2001:db8:0:0:8000::"];
  expect(await statuses(...one, "2001:db8::2")).toEqual([200, 200, 200, 429]);
  expect(await statuses("2001:db8:0:1::1")).toEqual([200]);
  expect(await statuses("::ffff:192.0.2.7", "192.0.2.7", "::ffff:c000:207", "192.0.2.7")).toEqual([
    200, 200, 200, 429,
  ]);
});

test("the number of remembered addresses is bounded, and the one unseen for longest is forgotten first", async () => {
  expect(await statuses("a", "b", "c", "a", "a", "a")).toEqual([200, 200, 200, 200, 200, 429]);
  expect(await statuses("b", "b", "b")).toEqual([200, 200, 429]);
  // d displaces c. The addresses that were just refused are still remembered.
  expect(await statuses("d", "a", "b")).toEqual([200, 429, 429]);
  expect(await statuses("c", "c", "c", "c")).toEqual([200, 200, 200, 429]);
});
