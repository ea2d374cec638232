import { beforeAll, describe, expect, test } from "vitest";
import { rootKey } from "../support/server-process.ts";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import { farAway, sharedService } from "../support/shared-service.ts";

const service = sharedService();
const scopes = ["all.read", "all.readwrite", "messages.read", "messages.readwrite"] as const;
type Scope = (typeof scopes)[number];

const createKey = (body: unknown) => service.api("POST", "/v1/keys", { body });
const keys = {} as Record<Scope, string>;
let targetId: string;
let messageId: string;
beforeAll(async () => {
  for (const scope of scopes) {
    keys[scope] = (await createKey({ name: scope, scopes: [`scheduler.${scope}`] })).body.key;
  }
  const target = await service.target();
  targetId = target.targetId;
  messageId = (await target.schedule({ deliveryTime: farAway })).messageId;
});

const readers: readonly Scope[] = scopes;
const writers: readonly Scope[] = ["all.readwrite", "messages.readwrite"];
const allReaders: readonly Scope[] = ["all.read", "all.readwrite"];
const allWriters: readonly Scope[] = ["all.readwrite"];

/** {t} and {m} are a target and a message that exist; calls that write name things that do not. */
const operations: readonly [
  method: string,
  path: string,
  allowed: readonly Scope[],
  body?: unknown,
][] = [
  ["POST", "/v1/messages", writers, {}],
  ["POST", "/v1/messages/batch", writers, {}],
  ["GET", "/v1/messages/{m}", readers],
  ["GET", "/v1/messages/nope", readers],
  ["GET", "/v1/messages/{m}/payload", readers],
  ["GET", "/v1/messages/{m}/attempts", readers],
  ["POST", "/v1/messages/nope/cancel", writers],
  ["POST", "/v1/messages/nope/reschedule", writers, { deliveryTime: farAway }],
  ["GET", "/v1/targets/{t}/scheduled-messages", readers],
  ["GET", "/v1/targets/{t}/dead-letters", readers],
  ["GET", "/v1/targets", allReaders],
  ["GET", "/v1/targets/{t}", allReaders],
  ["POST", "/v1/targets", allWriters, {}],
  ["PATCH", "/v1/targets/nope", allWriters, {}],
  ["DELETE", "/v1/targets/nope", allWriters],
  ["POST", "/v1/targets/nope/pause", allWriters],
  ["POST", "/v1/targets/nope/resume", allWriters],
  ["POST", "/v1/targets/nope/test", allWriters],
  ["POST", "/v1/targets/nope/rotate-secret", allWriters],
  ["GET", "/v1/keys", allReaders],
  ["POST", "/v1/keys", allWriters, {}],
  ["DELETE", "/v1/keys/nope", allWriters],
];

describe.each(operations)("%s %s", (method, template, allowed, body) => {
  const call = (key: string | null) => {
    const path = template.replace("{t}", targetId).replace("{m}", messageId);
    return service.api(method, path, { key, body });
  };

  test.each(scopes)("with scheduler.%s", async (scope) => {
    const answer = await call(keys[scope]);
    if (allowed.includes(scope)) {
      expect([401, 403]).not.toContain(answer.status);
      return;
    }
    expectRefusal(answer, 403, { code: "E-DI-2002" });
    const challenge = answer.headers.get("www-authenticate") ?? "";
    expect(challenge).toMatch(/^Bearer /);
    expect(challenge).toMatch(/error="insufficient_scope"/);
    const needed = /scope="scheduler\.([a-z.]+)"/.exec(challenge)?.[1];
    expect(allowed).toContain(needed);
  });

  test("without a credential", async () => {
    const answer = await call(null);
    expectRefusal(answer, 401, { code: "E-DI-2001" });
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(answer.headers.get("www-authenticate")).not.toMatch(/error=/);
  });

  test("with an unknown key", async () => {
    const answer = await call("pd_unknown");
    expectRefusal(answer, 401, { code: "E-DI-2001" });
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer .*error="invalid_token"/);
  });
});

describe("the credential", () => {
  const callWith = (authorization: string) =>
    service.api("GET", "/v1/targets", { key: null, headers: { authorization } });

  test.each([
    "",
    "Bearer",
    "Bearer ",
    rootKey,
    `Basic ${rootKey}`,
    `Bearer ${rootKey}x`,
    `Bearer ${rootKey.slice(0, -1)}`,
    `Bearer ${rootKey.toUpperCase()}`,
    `Bearer ${rootKey} ${rootKey}`,
    `Bearer ${rootKey}, Bearer ${rootKey}`,
    `Bearer "${rootKey}"`,
    `Bearer ${"a".repeat(5_000)}`,
    "Bearer ünbekannt",
  ])("Authorization: %s is 401", async (authorization) => {
    const answer = await callWith(authorization);
    expectRefusal(answer, 401, { code: "E-DI-2001" });
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(answer.text).not.toContain(rootKey);
  });

  test("the scheme's case does not matter", async () => {
    for (const scheme of ["bearer", "BEARER"]) {
      expect((await callWith(`${scheme} ${rootKey}`)).status).toBe(200);
    }
  });

  test("never in a query string", async () => {
    for (const name of ["access_token", "key", "token"]) {
      const answer = await service.api("GET", `/v1/targets?${name}=${rootKey}`, { key: null });
      expectRefusal(answer, 401, { code: "E-DI-2001" });
    }
  });

  test("comes before everything else: nothing is told without one", async () => {
    const answer = await service.api("POST", "/v1/messages", { key: null, body: "{" });
    expectRefusal(answer, 401, { code: "E-DI-2001" });
  });
});

describe("keys", () => {
  test("are shown once, listed without the key, and revoked at once", async () => {
    const name = "billing worker ü";
    const { status, body } = await createKey({
      name,
      scopes: ["scheduler.messages.read", "scheduler.all.read"],
    });
    expect(status).toBe(200);
    const { key, ...entry } = body;
    expect(key).toMatch(/^pd_\S{20,}$/);
    expect(entry).toStrictEqual({
      keyId: expect.stringMatching(/./),
      name,
      scopes: expect.arrayContaining(["scheduler.messages.read", "scheduler.all.read"]),
      creationTime: anyInstant,
    });
    expect((await service.api("GET", "/v1/targets", { key })).status).toBe(200);
    const list = await service.api("GET", "/v1/keys");
    expect(list.body.items).toContainEqual(entry);
    expect(list.text).not.toContain(key);
    expect(await service.ok("DELETE", `/v1/keys/${entry.keyId}`)).toStrictEqual(entry);
    const refused = await service.api("GET", "/v1/targets", { key });
    expectRefusal(refused, 401, { code: "E-DI-2001" });
    expect((await service.ok("GET", "/v1/keys")).items).not.toContainEqual(entry);
    expect((await service.api("DELETE", `/v1/keys/${entry.keyId}`)).status).toBe(404);
  });

  test.each<[string, unknown]>([
    ["name", undefined],
    ["name", ""],
    ["name", "x".repeat(101)],
    ["name", 5],
    ["scopes", undefined],
    ["scopes", []],
    ["scopes", "scheduler.all.read"],
    ["scopes", ["scheduler.all"]],
    ["scopes", ["scheduler.all.read", "scheduler.all.read"]],
    ["scopes", [5]],
    ["keyId", "mine"],
  ])("%s: %j is refused", async (field, value) => {
    const before = await service.ok("GET", "/v1/keys");
    const answer = await createKey({ name: "x", scopes: ["scheduler.all.read"], [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({
      code: "E-DI-1001",
      field: expect.stringMatching(`^${field}`),
    });
    expect(await service.ok("GET", "/v1/keys")).toStrictEqual(before);
  });
});
