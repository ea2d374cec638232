import { describe, expect, test, vi } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { apiOf } from "../../support/api.ts";
import type { Api } from "../../support/api.ts";
import { keepAsking } from "./keep-asking.ts";
import { keepBodiesOpen } from "./open-bodies.ts";
import { slowNames } from "./slow-names.ts";
import type { SlowNames } from "./slow-names.ts";
import { startReceiver } from "../../support/receiver.ts";
import { services } from "../../support/service.ts";
import type { ServiceUnderTest } from "../../support/service.ts";
import { farAway, patiently } from "../../support/shared-service.ts";

/** Accounts and strangers as adversaries. Whatever they do, the service answers another account's calls and delivers its messages. */

const startService = services();
const makeDatabase = preparedDatabases();
const operator = { key: "pdo_operator_of_the_adversaries" };
const json = { "content-type": "application/json" };
const chunked = { "transfer-encoding": "chunked" };

interface Attack extends AsyncDisposable {
  statuses(): ReadonlyMap<number, number>;
}

interface Adversary {
  readonly name: string;
  attack(service: ServiceUnderTest): Promise<readonly Attack[]>;
  /** The status of those requests that get an answer before the end of their body. */
  readonly answered: number;
  /** What the service runs in. */
  readonly surroundings?: () => Promise<SlowNames>;
}

async function makeAccount(
  { api, server, receiver }: ServiceUnderTest,
  receiverName = "127.0.0.1",
) {
  const made = await api("POST", "/v1/accounts", { body: {}, ...operator });
  const key = made.body.key as string;
  const called: Api = apiOf(server.url, key);
  const body = { targetId: "t", url: receiver.url.replace("127.0.0.1", receiverName) };
  expect((await called("POST", "/v1/targets", { body })).status).toBe(200);
  return { key, api: called };
}

const strangers = (
  name: string,
  path: string,
  answered: number,
  headers: Readonly<Record<string, string>> = json,
): Adversary => ({
  name,
  answered,
  attack: async ({ server: { url } }) => [
    keepBodiesOpen({ url, path, count: 300, headers: { ...headers, ...chunked } }),
  ],
});

const adversaries: readonly Adversary[] = [
  strangers("strangers at a path that is none", "/nope", 404),
  strangers("strangers without a credential", "/v1/messages", 401),
  strangers("strangers at the token endpoint", "/oauth/token", 503, {
    "content-type": "application/x-www-form-urlencoded",
  }),
  {
    name: "strangers with keys that they made up",
    answered: 401,
    attack: async ({ server: { url } }) =>
      Array.from({ length: 100 }, (_, index) => {
        const authorization = `Bearer pd_made_up_${index}_${"x".repeat(40)}`;
        const headers = { ...json, ...chunked, authorization };
        return keepBodiesOpen({ url, path: "/v1/messages", count: 3, headers });
      }),
  },
  {
    name: "strangers who scrape the metrics",
    answered: 200,
    attack: async ({ api }) => [keepAsking({ api, count: 40, method: "GET", path: "/metrics" })],
  },
  {
    name: "one account that tests a target that hangs",
    answered: 429,
    attack: async (service) => {
      const hanging = await startReceiver();
      hanging.answerWith(() => {});
      const { api } = await makeAccount(service);
      const body = { targetId: "hangs", url: hanging.url, timeoutMs: 5_000 };
      expect((await api("POST", "/v1/targets", { body })).status).toBe(200);
      const path = "/v1/targets/hangs/test";
      const testing = keepAsking({ api, count: 40, method: "POST", path, call: { body: {} } });
      const close = async (): Promise<void> => {
        await testing[Symbol.asyncDispose]();
        await hanging[Symbol.asyncDispose]();
      };
      return [{ ...testing, [Symbol.asyncDispose]: close }];
    },
  },
  {
    name: "one account that floods the service with schedules",
    answered: 201,
    attack: async (service) => {
      const { api } = await makeAccount(service);
      const body = { targetId: "t", payload: "p".repeat(1_000), everyMs: 1_000 };
      const path = "/v1/schedules";
      return [keepAsking({ api, count: 40, method: "POST", path, call: { body } })];
    },
  },
  {
    name: "one account whose names do not resolve, beside an account whose names do",
    answered: 200,
    surroundings: slowNames,
    attack: async (service) => {
      const { api } = await makeAccount(service);
      const targetIds = Array.from({ length: 60 }, (_, index) => `slow-${index}`);
      for (const targetId of targetIds) {
        const body = { targetId, url: `http://${targetId}.example/` };
        expect((await api("POST", "/v1/targets", { body })).status).toBe(200);
      }
      const messages = targetIds.map((targetId) => ({ targetId, delayMs: 0, payload: "p" }));
      const call = { body: { messages } };
      return [keepAsking({ api, count: 2, method: "POST", path: "/v1/messages/batch", call })];
    },
  },
  {
    name: "one account with bodies that do not end",
    answered: 503,
    attack: async (service) => {
      const { key } = await makeAccount(service);
      const headers = { ...json, ...chunked, authorization: `Bearer ${key}` };
      const of = { url: service.server.url, headers };
      const piece = `10000\r\n${" ".repeat(65_536)}\r\n`;
      return [
        keepBodiesOpen({ ...of, path: "/v1/messages", count: 150, beginning: "1\r\n{\r\n" }),
        keepBodiesOpen({ ...of, path: "/v1/messages/batch", count: 150, beginning: piece }),
      ];
    },
  },
];

/** Far above what a delivery takes on a busy machine, and far below what an adversary could keep it waiting. */
const latestMs = 5_000;

/**
 * Another account makes calls of every size while the adversary continues. All of them must succeed, and what is due must
 * be delivered.
 */
async function expectServed(api: Api, { receiver }: ServiceUnderTest): Promise<void> {
  const message = { targetId: "t", deliveryTime: farAway, payload: "p".repeat(1_000) };
  for (let round = 0; round < 20; round++) {
    const body = { messages: Array.from({ length: 1_000 }, () => message) };
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => api("POST", "/v1/messages", { body: message })),
      api("POST", "/v1/messages/batch", { body }),
      api("GET", "/v1/targets/t/scheduled-messages"),
    ]);
    expect(
      new Set(answers.map(({ status, text }) => `${status} ${status === 200 || text}`)),
    ).toEqual(new Set(["200 true"]));
    const { messageId } = answers[0].body;
    expect((await api("POST", `/v1/messages/${messageId}/cancel`)).status).toBe(200);
    const due = await api("POST", "/v1/messages", {
      body: { targetId: "t", delayMs: 0, payload: "due" },
    });
    const accepted = performance.now();
    await receiver.received(1, (receipt) => receipt.messageId === due.body.messageId);
    expect(performance.now() - accepted).toBeLessThan(latestMs);
  }
}

describe.each(["embedded", "PostgreSQL"])("on the %s store", (store) => {
  test.each(adversaries)("$name", async ({ attack, answered, surroundings }) => {
    await using names = await surroundings?.();
    const database = store === "PostgreSQL" ? await makeDatabase() : undefined;
    await using _drop = { [Symbol.asyncDispose]: async () => database?.drop() };
    const service = await startService({
      ...(names && { within: names.within }),
      args: ["--max-requests", "200", "--log-level", "error", "--token-request-limit", "100000/1s"],
      env: {
        POSTDATE_OPERATOR_KEY: operator.key,
        ...(database === undefined
          ? {}
          : { POSTDATE_DATABASE_URL: database.url, POSTDATE_ENCRYPTION_KEY: "ad".repeat(32) }),
      },
    });
    const other = await makeAccount(service, names?.quickName);
    const attacks = await attack(service);
    const answers = () =>
      attacks.reduce((sum, each) => sum + (each.statuses().get(answered) ?? 0), 0);
    await vi.waitUntil(() => answers() >= 100, patiently);
    if (names !== undefined) await vi.waitUntil(() => names.asked() >= 4, patiently);
    await expectServed(other.api, service);
    const before = answers();
    // The adversary was still active at the end.
    await vi.waitUntil(() => answers() > before, patiently);
    for (const each of attacks) await each[Symbol.asyncDispose]();
    await expectServed(other.api, service);
    await service.server.kill();
  });
});
