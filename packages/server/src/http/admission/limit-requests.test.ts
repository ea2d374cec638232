import { fastify } from "fastify";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Account } from "../../domain/account.ts";
import { rateAllowance, rateOpensAt, spendRate } from "../../domain/rate-limit.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import { answerErrorsWith } from "../errors/answer-errors.ts";
import { createRequestLimiter } from "./limit-requests.ts";

let now: number;
let limit: RateLimit | null;
let refused: number;
let asked: string[];
let app: FastifyInstance;

beforeEach(() => {
  now = 70_000;
  limit = { max: 2, intervalMs: 10_000 };
  refused = 0;
  asked = [];
  const buckets = new Map<string, number>();
  const limitRequests = createRequestLimiter({
    // Decides as a store does, by this one clock.
    takeRequests: async (takes) =>
      takes.map(({ accountId, limit: taken }) => {
        asked.push(accountId);
        const before = buckets.get(accountId) ?? 0;
        const allowed = rateAllowance(taken, before, now) > 0;
        const fullAt = allowed ? spendRate(taken, before, now, 1) : before;
        buckets.set(accountId, fullAt);
        const remaining = rateAllowance(taken, fullAt, now);
        const opensInMs = remaining > 0 ? 0 : rateOpensAt(taken, fullAt, now) - now;
        return { allowed, remaining, opensInMs, fullInMs: fullAt - now };
      }),
    clock: { monotonic: () => now },
    onLimited: () => refused++,
    capacity: 2,
  });
  app = fastify();
  app.setErrorHandler(answerErrorsWith(pino({ enabled: false }), () => {}));
  app.get<{ Params: { accountId: string } }>(
    "/:accountId",
    {
      onRequest: async ({ params: { accountId } }, reply) => {
        const account: Account = {
          accountId,
          name: accountId,
          state: "ACTIVE",
          monthlyMessageLimit: null,
          requestLimit: limit,
          creationTime: 0,
          suspensionTime: null,
        };
        const refusal = await limitRequests(account, reply);
        if (refusal !== undefined) throw refusal;
      },
    },
    async () => ({ ok: true }),
  );
});
afterEach(() => app.close());

const call = (accountId: string) => app.inject(`/${accountId}`);
const statuses = async (...accounts: string[]) => {
  const found: number[] = [];
  for (const account of accounts) found.push((await call(account)).statusCode);
  return found;
};

test("every answer says what is left, and a request over the limit gets 429 with advice", async () => {
  const first = await call("a");
  expect(first.statusCode).toBe(200);
  expect(first.headers).toMatchObject({
    "ratelimit-policy": '"requests";q=2;w=10',
    ratelimit: '"requests";r=1;t=5',
  });
  expect((await call("a")).headers.ratelimit).toBe('"requests";r=0;t=10');
  const beyond = await call("a");
  expect(beyond.statusCode).toBe(429);
  expect(beyond.headers).toMatchObject({
    "retry-after": "5",
    "ratelimit-policy": '"requests";q=2;w=10',
    ratelimit: '"requests";r=0;t=5',
  });
  expect(beyond.json()).toEqual({
    errors: [{ code: "E-DI-2003", message: expect.stringContaining("Wait 5 s") }],
  });
  expect(refused).toBe(1);
});

test("the store is not asked while an account is closed, and is asked from the time it opens", async () => {
  expect(await statuses("a", "a", "a", "a", "a")).toEqual([200, 200, 429, 429, 429]);
  expect(asked).toEqual(["a", "a"]);
  now += 4_999;
  expect((await call("a")).headers["retry-after"]).toBe("1");
  expect(asked).toEqual(["a", "a"]);
  now += 1;
  expect(await statuses("a", "a", "b")).toEqual([200, 429, 200]);
  expect(asked).toEqual(["a", "a", "a", "b"]);
});

test("raising or lifting a limit takes effect at once", async () => {
  expect(await statuses("a", "a", "a")).toEqual([200, 200, 429]);
  limit = { max: 200, intervalMs: 10_000 };
  now += 100;
  expect(await statuses("a")).toEqual([200]);
  limit = { max: 2, intervalMs: 10_000 };
  expect(await statuses("b", "b", "b")).toEqual([200, 200, 429]);
  limit = null;
  const free = await call("b");
  expect(free.statusCode).toBe(200);
  expect(free.headers).not.toHaveProperty("ratelimit");
  expect(free.headers).not.toHaveProperty("ratelimit-policy");
});

test("an account without a limit costs no store call", async () => {
  limit = null;
  expect(await statuses("a", "a", "a", "a")).toEqual([200, 200, 200, 200]);
  expect(asked).toEqual([]);
});

test("the number of remembered accounts is bounded, and the store decides about a forgotten one", async () => {
  expect(await statuses("a", "a", "b", "b", "c", "c")).toEqual(Array(6).fill(200));
  asked = [];
  expect(await statuses("b", "c")).toEqual([429, 429]);
  expect(asked).toEqual([]);
  expect(await statuses("a")).toEqual([429]);
  expect(asked).toEqual(["a"]);
});
