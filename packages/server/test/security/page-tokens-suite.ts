import { beforeAll, describe, expect, test, vi } from "vitest";
import { createPageTokens } from "../../src/domain/page-token.ts";
import { deriveKey } from "../../src/platform/secret-box.ts";
import type { ApiAnswer } from "../support/api.ts";
import { expectRefusal } from "../support/expectations.ts";
import { rootKey } from "../support/server-process.ts";
import { farAway, patiently } from "../support/shared-service.ts";
import { documentedRoutes } from "./documented-routes.ts";
import { processorMs } from "./processor-time.ts";
import { encryptionKey, operatorKey } from "./subject.ts";
import type { Subject } from "./subject.ts";

/** Every list with pages, with targets and accounts that this suite has made. */
const lists = {
  findMessages: { path: "/v1/messages", key: rootKey },
  listScheduledMessages: { path: "/v1/targets/walked/scheduled-messages", key: rootKey },
  listDeadLetters: { path: "/v1/targets/walked/dead-letters", key: rootKey },
  listJobs: { path: "/v1/jobs", key: rootKey },
  listSchedules: { path: "/v1/schedules", key: rootKey },
  listRuns: { path: "/v1/schedules/walked/runs", key: rootKey },
  listTargets: { path: "/v1/targets", key: rootKey },
  listTargetStats: { path: "/v1/stats/targets", key: rootKey },
  listEventEndpoints: { path: "/v1/event-endpoints", key: rootKey },
  listAuditEntries: { path: "/v1/audit-log", key: rootKey },
  listAccounts: { path: "/v1/accounts", key: operatorKey },
  listAccountAuditEntries: { path: "/v1/accounts/acc_default/audit-log", key: operatorKey },
  listAllAuditEntries: { path: "/v1/operator/audit-log", key: operatorKey },
} as const;
type List = keyof typeof lists;
const names = Object.keys(lists) as List[];

/** The same list with another value in its path. */
const neighbours: readonly (readonly [List, string])[] = [
  ["listScheduledMessages", "/v1/targets/walked-too/scheduled-messages"],
  ["listScheduledMessages", "/v1/targets/nobody/scheduled-messages"],
  ["listDeadLetters", "/v1/targets/walked-too/dead-letters"],
  ["listRuns", "/v1/schedules/walked-too/runs"],
  ["listSchedules", "/v1/schedules?paused=false"],
  ["listSchedules", "/v1/schedules?targetId=walked"],
  ["listTargetStats", "/v1/stats/targets?targetId=walked"],
  ["listAccountAuditEntries", "/v1/accounts/walked-too/audit-log"],
  ["listAccountAuditEntries", "/v1/accounts/nobody/audit-log"],
];
const unfiltered: ReadonlySet<List> = new Set([
  ...(["listJobs", "listSchedules", "listRuns", "listTargets", "listAccounts"] as const),
  ...(["listEventEndpoints", "listTargetStats"] as const),
]);
const filtered = names.filter((name) => !unfiltered.has(name));
const filters = {
  "another minTime": { minTime: "2000-01-01T00:00:00Z" },
  "another maxTime": { maxTime: "2999-12-31T00:00:00Z" },
};

/** A page token works only unchanged and only in the walk that it was issued for. */
export function pageTokensSuite(subject: Subject): void {
  const { service } = subject;
  const tokens = {} as Record<List, string>;

  const read = (
    name: List,
    query: Readonly<Record<string, string>>,
    path: string = lists[name].path,
  ) =>
    service.api(
      "GET",
      `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(query).toString()}`,
      {
        key: lists[name].key,
      },
    );
  const expectInvalid = (answer: ApiAnswer): void =>
    expectRefusal(answer, 400, { code: "E-DI-1002", field: "pageToken" });
  const expectRefused = async (pageToken: string, name: List = "listScheduledMessages") =>
    expectInvalid(await read(name, { pageToken }));

  beforeAll(async () => {
    await subject.account({ accountId: "walked-too" });
    for (const targetId of ["walked", "walked-too"]) {
      const url = "http://127.0.0.1:1/";
      const body = { targetId, url, retryPolicy: { maxAttempts: 1 } };
      await service.ok("POST", "/v1/targets", { body });
      const messages = [farAway, farAway, "2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"].map(
        (deliveryTime) => ({ targetId, deliveryTime, payload: "" }),
      );
      await service.ok("POST", "/v1/messages/batch", { body: { messages } });
      await vi.waitFor(async () => {
        const { count } = await service.ok("GET", `/v1/targets/${targetId}/dead-letters`);
        if (count !== 2) throw new Error(`${count} dead letters`);
      }, patiently);
    }
    for (const targetId of ["walked", "walked-too"]) {
      const body = { action: "cancel", filter: { targetId, labels: { owner: "nobody" } } };
      expect((await service.api("POST", "/v1/jobs", { body })).status).toBe(201);
    }
    // The target is paused, so that what the schedules make stays as it is.
    const paused = { targetId: "walked-by-schedules", url: "http://127.0.0.1:1/", paused: true };
    await service.ok("POST", "/v1/targets", { body: paused });
    for (const scheduleId of ["walked", "walked-too"]) {
      const body = { targetId: paused.targetId, payload: "", cron: "@daily", startTime: farAway };
      const path = `/v1/schedules/${scheduleId}`;
      expect((await service.api("PUT", path, { body })).status).toBe(201);
      for (let count = 0; count < 2; count++) {
        expect((await service.api("POST", `${path}/trigger`)).status).toBe(201);
      }
    }
    for (const endpointId of ["walked", "walked-too"]) {
      const body = { endpointId, kind: "stream", types: ["endpoint.disabled"] };
      expect((await service.api("POST", "/v1/event-endpoints", { body })).status).toBe(201);
    }
    for (const name of names) {
      const { body } = await read(name, { limit: "1" });
      expect(body.nextPageToken, name).toEqual(expect.any(String));
      tokens[name] = body.nextPageToken;
    }
  });

  test("every list with pages is here", () => {
    const walked = documentedRoutes.filter(({ query }) => query.includes("pageToken"));
    expect(walked.map(({ operationId }) => operationId).toSorted()).toEqual(names.toSorted());
  });

  test.each(names)("the token of %s works there", async (name) => {
    const answer = await read(name, { pageToken: tokens[name], limit: "1" });
    expect(answer.status).toBe(200);
    expect(answer.body.count).toBe(1);
  });

  describe("swapped", () => {
    test.each(names)("the token of %s is refused in any other list", async (name) => {
      for (const elsewhere of names.filter((one) => one !== name)) {
        await expectRefused(tokens[name], elsewhere);
      }
    });

    test.each(neighbours)("the token of %s is refused in %s", async (name, path) => {
      expectInvalid(await read(name, { pageToken: tokens[name] }, path));
    });

    test.each(filtered)("the token of %s is refused with another filter", async (name) => {
      for (const query of Object.values(filters)) {
        expectInvalid(await read(name, { pageToken: tokens[name], ...query }));
        const { body } = await read(name, { ...query, limit: "1" });
        expectInvalid(await read(name, { pageToken: body.pageToken }));
        for (const another of Object.values(filters).filter((one) => one !== query)) {
          expectInvalid(await read(name, { pageToken: body.pageToken, ...another }));
        }
      }
    });
  });

  describe("edited", () => {
    test("in any of its characters", async () => {
      const token = tokens.listScheduledMessages;
      const edited = [...token].map((character, index) => {
        const other = character === "A" ? "B" : "A";
        return token.slice(0, index) + other + token.slice(index + 1);
      });
      await Promise.all(edited.map((each) => expectRefused(each)));
    });

    test("cut off anywhere, at its end and at its beginning", async () => {
      const token = tokens.listScheduledMessages;
      const places = Array.from(token, (_, index) => index);
      await Promise.all(places.map((place) => expectRefused(token.slice(0, place))));
      await Promise.all(places.slice(1).map((place) => expectRefused(token.slice(place))));
    });

    test.each<[string, (token: string) => string]>([
      ["something added", (token) => `${token}A`],
      ["a whole group added", (token) => `${token}AAAA`],
      ["padding", (token) => `${token}=`],
      ["a full group of padding", (token) => `${token}====`],
      ["a blank before it", (token) => ` ${token}`],
      ["a line break after it", (token) => `${token}\n`],
      ["NUL behind it", (token) => `${token}\0`],
      ["twice", (token) => token + token],
      ["in upper case", (token) => token.toUpperCase()],
      ["in hex", (token) => Buffer.from(token, "base64url").toString("hex")],
      ["with characters of plain base64", (token) => `${token.slice(0, 4)}+/${token.slice(6)}`],
      ["a full-width letter", (token) => `${token.slice(0, -1)}\uff21`],
      ["percent-encoded twice", (token) => `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`],
      ["15 kB", (token) => token + "A".repeat(15_000 - token.length)],
      ["5 kB of padding", () => "=".repeat(5_000)],
      ["an emoji", () => "😀"],
      ["null", () => "null"],
    ])("%s", async (_, edit) => {
      await expectRefused(edit(tokens.listScheduledMessages));
    });
  });

  describe("made with a key", () => {
    const walk = {
      accountId: "acc_default",
      operation: "listTargets",
      targetId: null,
      minTime: null,
      maxTime: null,
    };
    const madeWith = (key: Uint8Array, cursor: string): string =>
      createPageTokens(deriveKey(key, "page-tokens")).issue(walk, cursor);
    const serversKey = Buffer.from(encryptionKey, "hex");
    /** Without such a character, both alphabets of base64 spell the token alike. */
    const special = Array.from({ length: 99 }, (_, index) =>
      madeWith(serversKey, `a${index}`),
    ).find((token) => /[-_]/.test(token))!;
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    test("this server's key: accepted, so the tests below can fail", async () => {
      expect((await read("listTargets", { pageToken: special })).status).toBe(200);
    });

    test.each([
      ["another server's", Buffer.alloc(32, 1)],
      ["no key at all", Buffer.alloc(0)],
      ["the text of the key", Buffer.from(encryptionKey)],
    ])("%s", async (_, key) => {
      for (const cursor of ["", "a", "~"])
        await expectRefused(madeWith(key, cursor), "listTargets");
    });

    test("this server's key for another purpose", async () => {
      await expectRefused(createPageTokens(serversKey).issue(walk, ""), "listTargets");
    });

    test("the same bytes in the other alphabet of base64", async () => {
      const respelled = special.replaceAll("-", "+").replaceAll("_", "/");
      await expectRefused(respelled, "listTargets");
    });

    test("the same bytes with stray bits at the end", async () => {
      const token = madeWith(serversKey, "");
      const stray = token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1)!) + 1];
      expect(Buffer.from(stray, "base64url")).toEqual(Buffer.from(token, "base64url"));
      await expectRefused(stray, "listTargets");
    });
  });

  test("50 kB is longer than any request line may be", async () => {
    const answer = await read("listTargets", { pageToken: "A".repeat(50_000) });
    expectRefusal(answer, 431, { code: "E-DI-1001" });
  });

  test("a long one is refused about as quickly as a short one", async () => {
    // Measures CPU time, because a busy machine makes both late.
    const workOf = async (pageToken: string): Promise<number> => {
      const before = await processorMs(service);
      for (let round = 0; round < 20; round++) await expectRefused(pageToken);
      return (await processorMs(service)) - before;
    };
    const short = await workOf("A");
    expect(await workOf("A".repeat(15_000))).toBeLessThan(10 * short + 500);
  });
}
