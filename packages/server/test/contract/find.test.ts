import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import type { Api, ApiAnswer } from "../support/api.ts";
import { startClusterOfOne } from "../support/cluster-of-one.ts";
import { addClusterTarget, startCluster } from "../support/cluster.ts";
import type { Cluster } from "../support/cluster.ts";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import { operatorKey } from "../support/server-process.ts";
import { startReceiver } from "../support/receiver.ts";
import type { Receiver } from "../support/receiver.ts";
import { farAway, patiently } from "../support/shared-service.ts";

const makeDatabase = preparedDatabases();
const env = { POSTDATE_OPERATOR_KEY: operatorKey };
const grounds = {
  "the embedded store": () => startClusterOfOne([], env),
  "two nodes on PostgreSQL": async () => startCluster((await makeDatabase()).url, 2, { env }),
};

type Page = ApiAnswer["body"];
type Query = Readonly<Record<string, string>>;

const idsOf = (items: readonly { messageId: string }[]): string[] =>
  items.map(({ messageId }) => messageId);
const pathOf = (query: Query): string => `/v1/messages?${new URLSearchParams(query).toString()}`;

describe.each(Object.entries(grounds))("GET /v1/messages on %s", (_name, start) => {
  let cluster: Cluster;
  let receiver: Receiver;
  let api: Api;
  beforeAll(async () => {
    cluster = await start();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Each test has its own account with the target `t`, and calls the nodes in turn. */
  beforeEach(async () => {
    receiver = await startReceiver();
    const operator = { key: operatorKey, body: {} };
    const { key } = (await cluster.nodes[0]!.api("POST", "/v1/accounts", operator)).body;
    let calls = 0;
    api = (method, path, options) =>
      cluster.nodes[calls++ % cluster.nodes.length]!.api(method, path, { key, ...options });
    await addClusterTarget(api, receiver);
  });
  afterEach(() => receiver.close());

  const ok = async (method: string, path: string, body?: unknown): Promise<ApiAnswer["body"]> => {
    const answer = await api(method, path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const schedule = (change: object = {}): Promise<ApiAnswer["body"]> =>
    ok("POST", "/v1/messages", {
      targetId: "t",
      deliveryTime: farAway,
      payload: "",
      ...change,
    });
  const find = (query: Query = {}): Promise<Page> => ok("GET", pathOf(query));
  const found = async (query: Query): Promise<string[]> => idsOf((await find(query)).items);
  const walk = async (query: Query): Promise<Page[]> => {
    const pages: Page[] = [await find(query)];
    for (let token = pages[0].nextPageToken; token !== null; token = pages.at(-1).nextPageToken) {
      pages.push(await find({ ...query, pageToken: token }));
    }
    return pages;
  };

  test("shows the account's messages, the newest first, as full Messages", async () => {
    expect(await find()).toStrictEqual({
      items: [],
      count: 0,
      pageToken: expect.stringMatching(/./),
      nextPageToken: null,
      searchedUntil: null,
    });
    const first = await schedule();
    const second = await schedule({ labels: { order: "4711" } });
    expect(await find()).toStrictEqual({
      items: [second, first],
      count: 2,
      pageToken: expect.stringMatching(/./),
      nextPageToken: null,
      searchedUntil: null,
    });
    expect(await found({ order: "oldest" })).toEqual(idsOf([first, second]));
    expect(await found({ order: "newest" })).toEqual(idsOf([second, first]));
  });

  test("filters by state, target, labels and schedulingTime, all together", async () => {
    await ok("POST", "/v1/targets", { targetId: "u", url: receiver.url });
    const one = await schedule({ labels: { order: "1", region: "eu" } });
    const two = await schedule({ labels: { order: "2", region: "eu" }, targetId: "u" });
    const three = await schedule({ labels: { order: "2", region: "us" } });
    const plain = await schedule();
    const cancelled = await ok("POST", `/v1/messages/${three.messageId}/cancel`, {});
    expect(await found({ state: "SCHEDULED" })).toEqual(idsOf([plain, two, one]));
    expect((await find({ state: "CANCELLED" })).items).toStrictEqual([cancelled]);
    expect(await found({ state: "CANCELLED,SCHEDULED" })).toHaveLength(4);
    expect(await found({ state: "DELIVERED,DEAD_LETTER" })).toEqual([]);
    expect(await found({ targetId: "u" })).toEqual(idsOf([two]));
    expect(await found({ targetId: "nobody" })).toEqual([]);
    expect(await found({ label: "region:eu" })).toEqual(idsOf([two, one]));
    expect(await found({ label: "order:2,region:eu" })).toEqual(idsOf([two]));
    expect(await found({ label: "region:eu,order:2", targetId: "t" })).toEqual([]);
    expect(await found({ label: "order:2", state: "CANCELLED" })).toEqual(idsOf([three]));
    const { schedulingTime } = two;
    const sameTime = [one, two, three, plain].filter(
      (message) => message.schedulingTime === schedulingTime,
    );
    const exactly = { minTime: schedulingTime, maxTime: schedulingTime, order: "oldest" };
    expect(await found(exactly)).toEqual(idsOf(sameTime));
    expect(await found({ maxTime: "2020-01-01T00:00:00Z" })).toEqual([]);
    expect(await found({ minTime: "2999-01-01T00:00:00Z" })).toEqual([]);
  });

  test("finds what was delivered, and what became a dead letter", async () => {
    const delivered = await schedule({ deliveryTime: "2020-01-01T00:00:00Z" });
    await expect.poll(() => found({ state: "DELIVERED" }), patiently).toEqual(idsOf([delivered]));
    expect(await found({ state: "SCHEDULED" })).toEqual([]);
  });

  test("finds the messages that have or had a key, also beside labels", async () => {
    const first = await schedule({ key: "k,\\:1", labels: { order: "9" } });
    await ok("POST", `/v1/messages/${first.messageId}/cancel`);
    const second = await schedule({ key: "k,\\:1" });
    await schedule({ key: "k", labels: { order: "9" } });
    expect(await found({ key: "k,\\:1" })).toEqual(idsOf([second, first]));
    expect(await found({ key: "k,\\:1", label: "order:9" })).toEqual(idsOf([first]));
    expect(await found({ key: "k,\\:1", state: "SCHEDULED" })).toEqual(idsOf([second]));
    expect(await found({ key: "order:9" })).toEqual([]);
  });

  test("finds labels with commas, backslashes and colons", async () => {
    const values = ["a,b", "a\\b", "a\\,b", "x:y", ",", "\\", "é, 😀"];
    for (const value of values) {
      const message = await schedule({ labels: { name: value, of: "all" } });
      const escaped = value.replaceAll(/[\\,]/g, String.raw`\$&`);
      expect(await found({ label: `name:${escaped},of:all` }), value).toEqual(idsOf([message]));
      expect(await found({ label: `of:all,name:${escaped}` }), value).toEqual(idsOf([message]));
    }
  });

  test.each([{}, { label: "of:all" }, { order: "oldest" }, { order: "oldest", label: "of:all" }])(
    "a walk with %j finds what stays exactly once, and says how far it has come",
    async (query: Query) => {
      const messages = Array.from({ length: 25 }, () => ({
        ...{ targetId: "t", deliveryTime: farAway, payload: "" },
        labels: { of: "all" },
      }));
      const { results } = await ok("POST", "/v1/messages/batch", { messages });
      const made = idsOf(results.map(({ message }: { message: Page }) => message));
      const ordered = query["order"] === "oldest" ? made : made.toReversed();
      const pages = await walk({ ...query, limit: "4" });
      expect(pages.flatMap(({ items }) => idsOf(items))).toEqual(ordered);
      for (const [index, page] of pages.entries()) {
        const isLast = index === pages.length - 1;
        expect([page.count, page.searchedUntil]).toEqual([
          page.items.length,
          isLast ? null : anyInstant,
        ]);
        if (index > 0) expect(page.pageToken).toBe(pages[index - 1].nextPageToken);
        const again = await find({ ...query, limit: "4", pageToken: page.pageToken });
        expect(idsOf(again.items)).toEqual(idsOf(page.items));
      }
    },
  );

  test("a page token works only with the same search, however it is written", async () => {
    for (let count = 0; count < 2; count++) await schedule({ labels: { a: "1", b: "2" } });
    const query = { label: "a:1,b:2", state: "SCHEDULED,CANCELLED", order: "oldest" };
    const { nextPageToken: pageToken } = await find({ ...query, limit: "1" });
    const respelled = { ...query, label: "b:2,a:1", state: "CANCELLED,SCHEDULED,SCHEDULED" };
    expect((await find({ ...respelled, pageToken, limit: "7" })).count).toBe(1);
    const others: Query[] = [
      {},
      { ...query, label: "a:1" },
      { ...query, state: "SCHEDULED" },
      { ...query, order: "newest" },
      { ...query, targetId: "t" },
      { ...query, minTime: "2020-01-01T00:00:00Z" },
      { ...query, maxTime: "2999-01-01T00:00:00Z" },
    ];
    for (const other of others) {
      const answer = await api("GET", pathOf({ ...other, pageToken }));
      expectRefusal(answer, 400, { code: "E-DI-1002", field: "pageToken" });
    }
  });

  test.each<[string, Query]>([
    ["state", { state: "" }],
    ["state", { state: "scheduled" }],
    ["state", { state: "SCHEDULED," }],
    ["state", { state: "SCHEDULED, CANCELLED" }],
    ["state", { state: "PENDING" }],
    ["targetId", { targetId: "" }],
    ["targetId", { targetId: "a b" }],
    ["targetId", { targetId: "x".repeat(65) }],
    ["label", { label: "" }],
    ["label", { label: "order" }],
    ["label", { label: ":4711" }],
    ["label", { label: "order:" }],
    ["label", { label: "Order:1" }],
    ["label", { label: "order:1,2" }],
    ["label", { label: "order:1," }],
    ["label", { label: ",order:1" }],
    ["label", { label: "order:1\\" }],
    ["label", { label: "order:\\1" }],
    ["label", { label: "order:1\u0000" }],
    ["label", { label: `order:${"x".repeat(101)}` }],
    ["label", { label: `${"x".repeat(41)}:1` }],
    ["label", { label: "order:1,order:2" }],
    ["label", { label: Array.from({ length: 9 }, (_, index) => `l${index}:1`).join(",") }],
    ["minTime", { minTime: "yesterday" }],
    ["maxTime", { maxTime: "2026-02-30T00:00:00Z" }],
    ["minTime", { minTime: "2026-01-02T00:00:00Z", maxTime: "2026-01-01T00:00:00Z" }],
    ["order", { order: "latest" }],
    ["limit", { limit: "0" }],
    ["limit", { limit: "101" }],
  ])("refuses a wrong %s: %j", async (field, query) => {
    expectRefusal(await api("GET", pathOf(query)), 400, { code: "E-DI-1001", field });
  });

  test("names all problems in one answer", async () => {
    const query = { state: "x", targetId: "?", label: "x", minTime: "x", order: "x", limit: "x" };
    const expected = Object.keys(query).map((field) => ({ code: "E-DI-1001", field }));
    expectRefusal(await api("GET", pathOf(query)), 400, ...expected);
    const twice = await api("GET", "/v1/messages?label=a:1&label=b:2");
    expectRefusal(twice, 400, { code: "E-DI-1001", field: "label" });
  });
});
