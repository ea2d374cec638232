import { beforeAll, describe, expect, test } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { commonService } from "../support/common-service.ts";
import { expectMessage, expectRefusal } from "../support/expectations.ts";
import { status } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";

const service = commonService();

type Message = ApiAnswer["body"];

const at = (second: number): string => `2999-01-01T00:00:${String(second).padStart(2, "0")}.000Z`;
const idsOf = (messages: readonly Message[]): string[] =>
  messages.map(({ messageId }) => messageId);

function listOf(targetId: string, query: Record<string, string> = {}, list = "scheduled-messages") {
  return service.ok(
    "GET",
    `/v1/targets/${targetId}/${list}?${new URLSearchParams(query).toString()}`,
  );
}

async function scheduleAll(targetId: string, deliveryTimes: readonly string[]): Promise<Message[]> {
  const messages = deliveryTimes.map((deliveryTime) => ({ targetId, deliveryTime, payload: "" }));
  const { results } = await service.ok("POST", "/v1/messages/batch", { body: { messages } });
  return results.map((result: { message: Message }) => result.message);
}

describe.each(["scheduled-messages", "dead-letters"])("GET …/%s", (list) => {
  test("of an unknown target is an empty page", async () => {
    for (const targetId of ["nobody", "no%20body", "%C3%A4", "x".repeat(200)]) {
      expect(await listOf(targetId, {}, list)).toStrictEqual({
        items: [],
        count: 0,
        pageToken: expect.stringMatching(/./),
        nextPageToken: null,
      });
    }
  });

  test.each([
    ...["0", "101", "-1", "1e2", "20abc", "abc", "", "+5", " 5", "5 ", "5.0", "1.5", "0x10", "1_0"],
    ...["null", "NaN", "Infinity", "99999999999999999999", "٥", "5,6", "[5]", "true", "5\0"],
  ])("refuses limit=%j", async (limit) => {
    const path = `/v1/targets/any/${list}?limit=${encodeURIComponent(limit)}`;
    expectRefusal(await service.api("GET", path), 400, { code: "E-DI-1001", field: "limit" });
  });

  test("reads a + in the query as a space, and refuses it", async () => {
    const path = `/v1/targets/any/${list}?limit=+5`;
    expectRefusal(await service.api("GET", path), 400, { code: "E-DI-1001", field: "limit" });
  });

  test("refuses a repeated parameter, even with the same value, and names it", async () => {
    for (const [field, value] of [
      ["limit", "5"],
      ["minTime", at(0)],
      ["maxTime", at(0)],
      ["pageToken", "x"],
    ] as const) {
      const path = `/v1/targets/any/${list}?${field}=${value}&${field}=${value}`;
      expectRefusal(await service.api("GET", path), 400, { code: "E-DI-1001", field });
    }
  });

  test("refuses unknown parameters and names each", async () => {
    const path = `/v1/targets/any/${list}?limit=5&foo=1&bar&__proto__=x&Limit=5`;
    expectRefusal(
      await service.api("GET", path),
      400,
      { code: "E-DI-1001", field: "foo" },
      { code: "E-DI-1001", field: "bar" },
      { code: "E-DI-1001", field: "__proto__" },
      { code: "E-DI-1001", field: "Limit" },
    );
  });

  test("refuses minTime after maxTime", async () => {
    const path = `/v1/targets/any/${list}?minTime=${at(2)}&maxTime=${at(1)}`;
    const answer = await service.api("GET", path);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].code).toBe("E-DI-1001");
  });

  test("names all problems", async () => {
    const path = `/v1/targets/any/${list}?minTime=x&maxTime=y&limit=0&foo=1`;
    expectRefusal(
      await service.api("GET", path),
      400,
      ...["minTime", "maxTime", "limit", "foo"].map((field) => ({ code: "E-DI-1001", field })),
    );
  });
});

describe("scheduled messages", () => {
  let target: ScriptedTarget;
  let messages: Message[];
  beforeAll(async () => {
    target = await service.target();
    messages = await scheduleAll(target.targetId, [at(30), at(10), at(20), at(10), at(40)]);
  });
  const secondsOf = (page: { items: Message[] }): number[] =>
    page.items.map((item) => new Date(item.nextDeliveryTime).getUTCSeconds());

  test("come by nextDeliveryTime, earliest first, ties by messageId, as full Messages", async () => {
    const page = await listOf(target.targetId);
    expect(page).toStrictEqual({
      items: messages.toSorted(
        (a, b) =>
          Date.parse(a.nextDeliveryTime) - Date.parse(b.nextDeliveryTime) ||
          (a.messageId < b.messageId ? -1 : 1),
      ),
      count: 5,
      pageToken: expect.stringMatching(/./),
      nextPageToken: null,
    });
    for (const item of page.items) {
      expectMessage(item, {
        targetId: target.targetId,
        state: "SCHEDULED",
        nextDeliveryTime: item.originalDeliveryTime,
      });
    }
  });

  test.each<[Record<string, string>, number[]]>([
    [{ minTime: at(20) }, [20, 30, 40]],
    [{ maxTime: at(20) }, [10, 10, 20]],
    [{ minTime: at(10), maxTime: at(10) }, [10, 10]],
    [{ minTime: at(11), maxTime: at(39) }, [20, 30]],
    [{ minTime: "2999-01-01T00:00:20.001Z" }, [30, 40]],
    [{ minTime: "2999-01-01T00:00:20.0009Z" }, [20, 30, 40]],
    [{ maxTime: "2999-01-01T00:00:19.999Z" }, [10, 10]],
    [{ minTime: "2999-01-01T01:00:40+01:00" }, [40]],
    [{ minTime: "0001-01-01T00:00:00Z", maxTime: "9999-12-31T23:59:59Z" }, [10, 10, 20, 30, 40]],
    [{ maxTime: "2998-01-01T00:00:00Z" }, []],
  ])("within %j, both bounds inclusive: %j", async (query, seconds) => {
    expect(secondsOf(await listOf(target.targetId, query))).toEqual(seconds);
  });

  test("are filtered by nextDeliveryTime, not by the original time", async () => {
    const moving = await service.target();
    const { messageId } = await moving.schedule({ deliveryTime: at(10) });
    await service.ok("POST", `/v1/messages/${messageId}/reschedule`, {
      body: { deliveryTime: at(50) },
    });
    expect((await listOf(moving.targetId, { maxTime: at(49) })).count).toBe(0);
    expect(idsOf((await listOf(moving.targetId, { minTime: at(50) })).items)).toEqual([messageId]);
  });

  test("are in order from the year 0001 to 9999, page by page", async () => {
    const paused = await service.target({ paused: true });
    const times = [
      "0001-01-01T00:00:00.000Z",
      "0999-12-31T23:59:59.999Z",
      "1969-12-31T23:59:59.999Z",
      "1970-01-01T00:00:00.000Z",
      "2999-01-01T00:00:00.000Z",
      "9999-12-31T23:59:59.999Z",
    ];
    await scheduleAll(paused.targetId, times.toReversed());
    const first = await listOf(paused.targetId, { limit: "3" });
    const pageToken = first.nextPageToken;
    const second = await listOf(paused.targetId, { limit: "3", pageToken });
    const seen = [...first.items, ...second.items].map((item) => item.nextDeliveryTime);
    expect([seen, second.nextPageToken]).toEqual([times, null]);
    const past = { minTime: times[0]!, maxTime: times[2]! };
    expect((await listOf(paused.targetId, past)).count).toBe(3);
  });

  test("leave out messages that are cancelled, delivered or of another target", async () => {
    const mixed = await service.target();
    const delivered = await mixed.schedule();
    const [kept, cancelled] = await scheduleAll(mixed.targetId, [at(1), at(2)]);
    await service.ok("POST", `/v1/messages/${cancelled.messageId}/cancel`);
    await service.reaches(delivered.messageId, "DELIVERED");
    expect(idsOf((await listOf(mixed.targetId)).items)).toEqual([kept.messageId]);
  });

  test("have 20 on a page by default, and up to 100 with limit", async () => {
    const many = await service.target();
    await scheduleAll(
      many.targetId,
      Array.from({ length: 101 }, (_, index) => at(index % 60)),
    );
    const countOf = async (query: Record<string, string>): Promise<[number, number, boolean]> => {
      const page = await listOf(many.targetId, query);
      return [page.items.length, page.count, page.nextPageToken !== null];
    };
    expect(await countOf({})).toEqual([20, 20, true]);
    expect(await countOf({ limit: "1" })).toEqual([1, 1, true]);
    expect(await countOf({ limit: "100" })).toEqual([100, 100, true]);
  });
});

describe("dead letters", () => {
  let target: ScriptedTarget;
  let deadLetters: Message[];
  beforeAll(async () => {
    target = await service.target({ retryPolicy: { maxAttempts: 1 } });
    target.answerWith(status(500));
    deadLetters = [];
    for (let count = 1; count <= 3; count++) {
      const { messageId } = await target.schedule();
      deadLetters.push(await service.reaches(messageId, "DEAD_LETTER"));
    }
  });

  test("come by deadLetterTime, oldest first, as full Messages", async () => {
    const page = await listOf(target.targetId, {}, "dead-letters");
    expect(page).toStrictEqual({
      items: deadLetters,
      count: 3,
      pageToken: expect.stringMatching(/./),
      nextPageToken: null,
    });
    expect((await listOf(target.targetId)).count).toBe(0);
  });

  test("are filtered by deadLetterTime, minTime and maxTime included", async () => {
    const time = deadLetters[1].deadLetterTime;
    const within = async (query: Record<string, string>): Promise<string[]> =>
      idsOf((await listOf(target.targetId, query, "dead-letters")).items);
    const ids = idsOf(deadLetters);
    expect(await within({ minTime: time })).toEqual(ids.slice(1));
    expect(await within({ maxTime: time })).toEqual(ids.slice(0, 2));
    expect(await within({ minTime: time, maxTime: time })).toEqual([ids[1]]);
    expect(await within({ maxTime: "2020-01-01T00:00:00Z" })).toEqual([]);
  });
});
