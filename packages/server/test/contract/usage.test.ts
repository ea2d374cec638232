import { expect, test } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { commonService } from "../support/common-service.ts";
import { expectRefusal } from "../support/expectations.ts";
import type { TestAccount } from "../support/operated-service.ts";
import { farAway } from "../support/shared-service.ts";

const service = commonService();
const good = { targetId: "t", deliveryTime: farAway, payload: "hello" };

async function limitedTo(monthlyMessageLimit: number | null): Promise<TestAccount> {
  const account = await service.account({ monthlyMessageLimit });
  await account.ok("POST", "/v1/targets", { targetId: "t", url: "http://127.0.0.1:9/" });
  return account;
}

const schedule = ({ key }: TestAccount, body: unknown = good, idempotencyKey?: string) =>
  service.api("POST", "/v1/messages", {
    key,
    body,
    headers: idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey },
  });

/** The current month as seen from outside. It is read again if the month ends meanwhile. */
function monthNow() {
  const now = new Date();
  const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  return {
    month: now.toISOString().slice(0, 7),
    resetTime: new Date(end).toISOString(),
    seconds: (end - start) / 1_000,
    left: (end - now.getTime()) / 1_000,
  };
}

function expectLimit(answer: ApiAnswer, limit: number, remaining: number): void {
  const { seconds, left } = monthNow();
  expect(answer.headers.get("ratelimit-policy")).toBe(`"messages";q=${limit};w=${seconds}`);
  const [, said, resets] =
    /^"messages";r=(\d+);t=(\d+)$/.exec(answer.headers.get("ratelimit") ?? "") ?? [];
  expect(Number(said)).toBe(remaining);
  expect(Math.abs(Number(resets) - left)).toBeLessThan(30);
}

test("usage shows month, count, limit, the rest, and when the next month begins", async () => {
  const account = await limitedTo(3);
  const usage = () => account.ok("GET", "/v1/usage");
  const { month, resetTime } = monthNow();
  expect(await usage()).toStrictEqual({ month, used: 0, limit: 3, remaining: 3, resetTime });
  await schedule(account);
  expect(await usage()).toMatchObject({ used: 1, remaining: 2 });
  await service.operated("PATCH", `/v1/accounts/${account.accountId}`, { monthlyMessageLimit: 0 });
  expect(await usage()).toMatchObject({ used: 1, limit: 0, remaining: 0 });
  await service.operated("PATCH", `/v1/accounts/${account.accountId}`, {
    monthlyMessageLimit: null,
  });
  expect(await usage()).toStrictEqual({ month, used: 1, limit: null, remaining: null, resetTime });
});

test("every scope that reads messages may read it", async () => {
  const account = await limitedTo(null);
  for (const scope of ["messages.read", "messages.readwrite", "all.read"]) {
    const { key } = await account.ok("POST", "/v1/keys", {
      name: scope,
      scopes: [`scheduler.${scope}`],
    });
    expect((await service.api("GET", "/v1/usage", { key })).status).toBe(200);
  }
});

test("answers to schedule show what is left, down to zero", async () => {
  const account = await limitedTo(2);
  expectLimit(await schedule(account, good, "k"), 2, 1);
  expectLimit(await schedule(account, good, "k"), 2, 1);
  expectLimit(await schedule(account), 2, 0);
  const refused = await schedule(account);
  expectRefusal(refused, 400, { code: "E-DI-5005" });
  expectLimit(refused, 2, 0);
});

test("answers to batches show it too", async () => {
  const account = await limitedTo(3);
  const batch = (count: number) =>
    service.api("POST", "/v1/messages/batch", {
      key: account.key,
      body: { messages: Array.from({ length: count }, () => good) },
    });
  expectLimit(await batch(2), 3, 1);
  const over = await batch(2);
  expect(over.status).toBe(200);
  expect(over.body.results[1].errors[0].code).toBe("E-DI-5005");
  expectLimit(over, 3, 0);
});

test("answers without a limit, and other refusals, do not show it", async () => {
  const unlimited = await schedule(await limitedTo(null));
  expect(unlimited.headers.get("ratelimit")).toBeNull();
  expect(unlimited.headers.get("ratelimit-policy")).toBeNull();
  const wrong = await schedule(await limitedTo(3), { ...good, targetId: "nobody" });
  expectRefusal(wrong, 400, { code: "E-DI-3001", field: "targetId" });
  expect(wrong.headers.get("ratelimit")).toBeNull();
});

test("both limits are shown together", async () => {
  const account = await service.account({
    monthlyMessageLimit: 5,
    requestLimit: { max: 100, intervalMs: 60_000 },
  });
  await account.ok("POST", "/v1/targets", { targetId: "t", url: "http://127.0.0.1:9/" });
  const { headers } = await schedule(account);
  const names = (header: string) =>
    (headers.get(header) ?? "").split(", ").map((member) => member.split(";")[0]);
  expect(names("ratelimit")).toEqual(['"requests"', '"messages"']);
  expect(names("ratelimit-policy")).toEqual(['"requests"', '"messages"']);
});
