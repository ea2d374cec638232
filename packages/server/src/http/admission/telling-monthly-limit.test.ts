import { fastify } from "fastify";
import { expect, test } from "vitest";
import type { Caller } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { UsageView } from "../../operations/accounts/get-usage.ts";
import { StoreUnavailable } from "../../operations/operations.ts";
import { addRateLimit } from "./rate-limit-headers.ts";
import { tellingMonthlyLimit } from "./telling-monthly-limit.ts";

function callerWith(monthlyMessageLimit: number | null): Caller {
  const account = {
    accountId: "a",
    name: "a",
    state: "ACTIVE",
    monthlyMessageLimit,
    requestLimit: null,
    creationTime: 0,
    suspensionTime: null,
  } as const;
  const actor = { kind: "key", id: "key_1" } as const;
  return { accountId: "a", account, scopes: [], actor, requestId: "req_1" };
}

const usage: UsageView = {
  month: "2026-11",
  used: 3,
  limit: 5,
  remaining: 2,
  resetTime: Date.UTC(2026, 11),
  monthMs: 30 * 86_400_000,
  resetInMs: 1_500,
};

/** The answer of a route that schedules like this, for an account with this limit. */
async function answerOf(
  getUsage: () => Promise<UsageView>,
  schedule: () => Promise<unknown> = async () => ({ done: true }),
  limit: number | null = 5,
) {
  const app = fastify();
  app.get("/", (_request, reply) => {
    addRateLimit(reply, {
      policy: "requests",
      quota: 10,
      windowSeconds: 1,
      remaining: 9,
      resetSeconds: 1,
    });
    return tellingMonthlyLimit({ getUsage }, callerWith(limit), reply, schedule);
  });
  const { statusCode, headers } = await app.inject("/");
  await app.close();
  return { statusCode, policy: headers["ratelimit-policy"], left: headers["ratelimit"] };
}

const requestsAlone = { policy: '"requests";q=10;w=1', left: '"requests";r=9;t=1' };
const both = {
  policy: '"requests";q=10;w=1, "messages";q=5;w=2592000',
  left: '"requests";r=9;t=1, "messages";r=2;t=2',
};
const refuse = (code: "E-DI-5005" | "E-DI-3001") => async () => {
  throw new RequestRefused({ code, message: "no" });
};

test("the monthly limit is added to the headers that are already there", async () => {
  expect(await answerOf(async () => usage)).toEqual({ statusCode: 200, ...both });
  expect(await answerOf(async () => usage, refuse("E-DI-5005"))).toMatchObject(both);
});

test("the usage is not read if there is no limit, or if the request failed for another reason", async () => {
  const unasked = () => Promise.reject(new Error("asked in vain"));
  expect(await answerOf(unasked, undefined, null)).toEqual({ statusCode: 200, ...requestsAlone });
  expect(await answerOf(unasked, refuse("E-DI-3001"))).toMatchObject(requestsAlone);
});

test("a scheduled message is answered even if the usage cannot be read", async () => {
  const lifted = { ...usage, limit: null, remaining: null };
  const away = () => Promise.reject(new StoreUnavailable("away"));
  const done = { statusCode: 200, ...requestsAlone };
  expect(await answerOf(async () => lifted)).toEqual(done);
  expect(await answerOf(away)).toEqual(done);
});
