import { beforeAll, describe, expect, test } from "vitest";
import { sharedTestApi } from "../testing/shared-test-api.ts";

interface Page {
  items: { messageId: string; nextDeliveryTime: string; targetId: string }[];
  count: number;
  pageToken: string;
  nextPageToken: string | null;
}

const api = sharedTestApi();
const times = Array.from(
  { length: 7 },
  (_, index) => `2099-01-01T00:00:0${Math.floor(index / 2)}.000Z`,
);
beforeAll(async () => {
  for (const targetId of ["orders", "other", "zebra"]) {
    const url = "https://example.com/hook";
    await api.call({ method: "POST", url: "/v1/targets", body: { targetId, url } });
  }
  const messages = times
    .toReversed()
    .map((deliveryTime) => ({ targetId: "orders", deliveryTime, payload: "" }));
  await api.call({ method: "POST", url: "/v1/messages/batch", body: { messages } });
});

const path = "/v1/targets/orders/scheduled-messages";
const list = (query: Record<string, string>, url = path) => api.call({ url, query });
const page = async (query: Record<string, string>, url = path) =>
  (await list(query, url)).json<Page>();

describe("a walk through a list", () => {
  test("returns every message once, in order, even if the limit changes", async () => {
    const seen: Page["items"] = [];
    let next: string | null = null;
    let limit = 1;
    do {
      const found: Page = await page({ limit: String(limit++), ...(next && { pageToken: next }) });
      expect(found.count).toBe(found.items.length);
      if (next !== null) expect(found.pageToken).toBe(next);
      seen.push(...found.items);
      next = found.nextPageToken;
    } while (next !== null);
    expect(seen.map((item) => item.nextDeliveryTime)).toEqual(times);
    expect(new Set(seen.map((item) => item.messageId)).size).toBe(times.length);
  });

  test("the token of the first page returns the first page", async () => {
    const first = await page({ limit: "2" });
    const same = await page({ limit: "2", pageToken: first.pageToken });
    expect(same).toEqual(first);
  });

  test("a page that ends with the list has no next page", async () => {
    const found = await page({ limit: String(times.length) });
    expect(found.count).toBe(times.length);
    expect(found.nextPageToken).toBeNull();
  });

  test("filters are inclusive", async () => {
    const found = await page({ minTime: times[2]!, maxTime: times[5]! });
    expect(found.items.map((item) => item.nextDeliveryTime)).toEqual(times.slice(2, 6));
    expect(found.nextPageToken).toBeNull();
  });

  test("an unknown target has an empty page", async () => {
    const found = await page({}, "/v1/targets/nowhere/dead-letters");
    expect(found).toMatchObject({ items: [], count: 0, nextPageToken: null });
  });

  test("targets are ordered by their id", async () => {
    const first = await page({ limit: "2" }, "/v1/targets");
    const rest = await page({ limit: "2", pageToken: first.nextPageToken! }, "/v1/targets");
    const ids = [...first.items, ...rest.items].map((item) => item.targetId);
    expect(ids).toEqual(["orders", "other", "zebra"]);
    expect(rest.nextPageToken).toBeNull();
  });
});

describe("what a list refuses", () => {
  test.each([
    ["0"],
    ["101"],
    ["1e2"],
    ["20abc"],
    [""],
    ["-1"],
    ["1.5"],
    [" 5"],
    ["05"],
    ["9".repeat(30)],
  ])("limit %j", async (limit) => {
    const answer = await list({ limit });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-1001", field: "limit" }] });
  });

  test("a repeated, an unknown and a wrong parameter, all in one answer", async () => {
    const answer = await api.call({
      url: `${path}?minTime=2099-01-01&limit=0&limit=5&sort=up&maxTime=2099-01-01T00:00:00%2B25:00`,
    });
    expect(answer.statusCode).toBe(400);
    const { errors } = answer.json<{ errors: { field: string; message: string }[] }>();
    expect(errors.map(({ field }) => field).toSorted()).toEqual([
      "limit",
      "maxTime",
      "minTime",
      "sort",
    ]);
  });

  test.each([
    ["limit", "limit=1&limit=2"],
    ["limit", "limit=1&limit=x"],
    ["limit", "limit=5&limit=5&limit=5"],
    ["minTime", `minTime=${times[0]}&minTime=${times[0]}`],
    ["pageToken", "pageToken=a&pageToken=b"],
  ])("%s more than once, and says so: %s", async (field, query) => {
    for (const url of [path, "/v1/targets/orders/dead-letters"]) {
      const answer = await api.call({ url: `${url}?${query}` });
      expect(answer.statusCode).toBe(400);
      const message = `${field} is given more than once.`;
      expect(answer.json()).toEqual({ errors: [{ code: "E-DI-1001", message, field }] });
    }
  });

  test("a minTime after the maxTime", async () => {
    const answer = await list({ minTime: times[6]!, maxTime: times[0]! });
    expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-1001", field: "minTime" }] });
  });

  test("page tokens of another list, and damaged ones", async () => {
    const token = (await page({ limit: "1" })).nextPageToken!;
    const elsewhere = [
      list({ pageToken: token }, "/v1/targets/other/scheduled-messages"),
      list({ pageToken: token }, "/v1/targets/orders/dead-letters"),
      list({ pageToken: token }, "/v1/targets"),
      list({ pageToken: token, minTime: times[0]! }),
      list({ pageToken: token.slice(0, -1) }),
      list({ pageToken: `${token}=` }),
      list({ pageToken: "" }),
    ];
    for (const answer of await Promise.all(elsewhere)) {
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-1002", field: "pageToken" }] });
    }
    expect((await list({ pageToken: token, limit: "3" })).statusCode).toBe(200);
  });
});
