import { beforeAll, describe, expect, test } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { commonService } from "../support/common-service.ts";
import { patiently, status } from "../support/shared-service.ts";

const service = commonService();

type Page = ApiAnswer["body"];
type Query = Readonly<Record<string, string>>;

const at = (second: number): string => `2999-01-01T00:00:${String(second).padStart(2, "0")}.000Z`;
const idsOf = (page: Page): string[] =>
  page.items.map((item: { messageId: string }) => item.messageId);

const inOrder = (texts: readonly string[]): string[] => texts.toSorted();
const queryOf = (query: Query): string => new URLSearchParams(query).toString();

const scheduledOf = (targetId: string): string => `/v1/targets/${targetId}/scheduled-messages`;
const deadLettersOf = (targetId: string): string => `/v1/targets/${targetId}/dead-letters`;
const read = (path: string, query: Query = {}): Promise<Page> =>
  service.ok("GET", `${path}?${queryOf(query)}`);

async function scheduleAll(targetId: string, deliveryTimes: readonly string[]): Promise<string[]> {
  const messages = deliveryTimes.map((deliveryTime) => ({ targetId, deliveryTime, payload: "" }));
  const { results } = await service.ok("POST", "/v1/messages/batch", { body: { messages } });
  return results.map((result: { message: { messageId: string } }) => result.message.messageId);
}

/** Reads pages until there is no next one. `limits` are used one after the other and repeated. */
async function walk(
  path: string,
  {
    query = {},
    limits = ["3"],
    between = async () => {},
  }: {
    query?: Query;
    limits?: readonly string[];
    between?: (page: Page) => Promise<unknown>;
  } = {},
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let pageToken: string | null | undefined; pageToken !== null;) {
    const limit = limits[pages.length % limits.length]!;
    const page: Page = await read(path, { ...query, limit, ...(pageToken ? { pageToken } : {}) });
    pages.push(page);
    pageToken = page.nextPageToken;
    if (pageToken !== null) await between(page);
  }
  return pages;
}

// Many ties, so that a walk has to continue within one instant.
const times = Array.from({ length: 30 }, (_, index) => at(Math.floor(index / 7)));
let path: string;
let everything: string[];
beforeAll(async () => {
  const { targetId } = await service.target();
  await scheduleAll(targetId, times);
  path = scheduledOf(targetId);
  everything = idsOf(await read(path, { limit: "100" }));
});

describe("a walk", () => {
  test.each([["1"], ["2"], ["7"], ["29"], ["30"], ["100"]])(
    "with limit %s returns every item once, in order",
    async (limit) => {
      const pages = await walk(path, { limits: [limit] });
      expect(pages.flatMap(idsOf)).toEqual(everything);
      expect(pages).toHaveLength(Math.ceil(30 / Number(limit)));
      for (const page of pages) expect(page.count).toBe(page.items.length);
    },
  );

  test("may change its limit between pages", async () => {
    const pages = await walk(path, { limits: ["1", "10", "2", "5"] });
    expect(pages.map(({ count }) => count)).toEqual([1, 10, 2, 5, 1, 10, 1]);
    expect(pages.flatMap(idsOf)).toEqual(everything);
  });

  test("keeps its filters", async () => {
    const query = { minTime: at(1), maxTime: at(2) };
    const pages = await walk(path, { query });
    expect(pages.flatMap(idsOf)).toEqual(everything.slice(7, 21));
  });

  test("ends with null on a page that is exactly full", async () => {
    expect((await read(path, { limit: "30" })).nextPageToken).toBeNull();
  });

  test("gives every page a token, the first included, that reads the page again", async () => {
    const pages = await walk(path, { limits: ["4"] });
    expect(new Set(pages.map(({ pageToken }) => pageToken)).size).toBe(pages.length);
    for (const [index, page] of pages.entries()) {
      if (index > 0) expect(page.pageToken).toBe(pages[index - 1].nextPageToken);
      const again = await read(path, { limit: "4", pageToken: page.pageToken });
      expect(again).toStrictEqual(page);
    }
  });

  test("returns each item that did not move exactly once while others come, go and move", async () => {
    const { targetId } = await service.target();
    const ids = await scheduleAll(
      targetId,
      Array.from({ length: 24 }, (_, index) => at(10 + Math.floor(index / 5))),
    );
    const stayed = new Set(ids.filter((_, index) => index % 3 !== 0));
    const restless = ids.filter((id) => !stayed.has(id));
    const pages = await walk(scheduledOf(targetId), {
      limits: ["4"],
      between: async (page) => {
        await scheduleAll(targetId, [at(1), page.items.at(-1).nextDeliveryTime, at(59)]);
        const [cancelled, moved] = restless.splice(0, 2);
        if (cancelled) await service.ok("POST", `/v1/messages/${cancelled}/cancel`);
        if (!moved) return;
        const body = { deliveryTime: at(restless.length % 2 ? 5 : 58) };
        await service.ok("POST", `/v1/messages/${moved}/reschedule`, { body });
      },
    });
    const seen = pages.flatMap(idsOf);
    const order = idsOf(await read(scheduledOf(targetId), { limit: "100" }));
    expect(seen.filter((id) => stayed.has(id))).toEqual(order.filter((id) => stayed.has(id)));
    const seenTimes = pages.flatMap((page) =>
      page.items.map((item: Page) => item.nextDeliveryTime),
    );
    expect(inOrder(seenTimes)).toEqual(seenTimes);
  });

  test("goes through dead letters too", async () => {
    const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
    target.answerWith(status(500));
    const past = Array.from({ length: 12 }, () => "2020-01-01T00:00:00Z");
    const ids = await scheduleAll(target.targetId, past);
    const deadLetters = deadLettersOf(target.targetId);
    await expect.poll(async () => (await read(deadLetters)).count, patiently).toBe(12);
    const pages = await walk(deadLetters, { limits: ["5"] });
    const items = pages.flatMap((page) => page.items);
    expect(inOrder(items.map(({ messageId }) => messageId))).toEqual(inOrder(ids));
    const keyOf = (item: Page): string => item.deadLetterTime + item.messageId;
    expect(items.map(keyOf)).toEqual(inOrder(items.map(keyOf)));
  });
});
