import { beforeAll, describe, expect, test } from "vitest";
import { anyInstant, expectRefusal, expectRefusalNaming } from "../support/expectations.ts";
import { operatedService } from "../support/operated-service.ts";
import { farAway } from "../support/shared-service.ts";

const service = operatedService(["--monthly-message-limit", "1000"]);
const { operate, operated } = service;

describe("creating", () => {
  test("a new account shows its first key once and has the default limits", async () => {
    const answer = await operate("POST", "/v1/accounts");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { key, ...account } = answer.body;
    expect(account).toStrictEqual({
      accountId: expect.stringMatching(/^acc_[0-9a-z]{20}$/),
      name: account.accountId,
      state: "ACTIVE",
      monthlyMessageLimit: 1_000,
      requestLimit: null,
      creationTime: anyInstant,
      suspensionTime: null,
    });
    expect(key).toMatch(/^pd_[\w-]{55}$/);
    const { accountId } = account;
    const shown = await operate("GET", `/v1/accounts/${accountId}`);
    expect(shown.body).toStrictEqual({
      ...account,
      usage: { month: new Date().toISOString().slice(0, 7), used: 0 },
    });
    expect(shown.text).not.toContain(key);
    const { items } = (await service.api("GET", "/v1/keys", { key })).body;
    expect(items).toStrictEqual([
      {
        keyId: expect.stringMatching(/^key_/),
        name: "first key",
        scopes: ["scheduler.all.readwrite"],
        creationTime: anyInstant,
      },
    ]);
  });

  test("every field can be set, and null removes a limit", async () => {
    const given = {
      accountId: "Given_-1",
      name: "Blue Shop ü😀",
      monthlyMessageLimit: null,
      requestLimit: { max: 1_000, intervalMs: 1_000 },
    };
    expect(await operated("POST", "/v1/accounts", given)).toMatchObject(given);
  });

  test("an id is used once, even after its account is removed", async () => {
    const { accountId } = await service.account();
    const exists = { code: "E-DI-4002", field: "accountId" };
    expectRefusal(await operate("POST", "/v1/accounts", { accountId }), 409, exists);
    expectRefusal(await operate("POST", "/v1/accounts", { accountId: "acc_default" }), 409, exists);
    await operated("POST", `/v1/accounts/${accountId}/suspend`);
    await operated("DELETE", `/v1/accounts/${accountId}`);
    expectRefusal(await operate("POST", "/v1/accounts", { accountId }), 409, exists);
  });
});

describe("bad input", () => {
  const steady = "/v1/accounts/steady";
  beforeAll(() => service.account({ accountId: "steady" }));

  const fields: readonly [field: string, value: unknown][] = [
    ["name", ""],
    ["name", "x".repeat(101)],
    ["name", "a\0b"],
    ["name", "a\nb"],
    ["name", "\ud83d"],
    ["name", 5],
    ["name", null],
    ["monthlyMessageLimit", -1],
    ["monthlyMessageLimit", 1.5],
    ["monthlyMessageLimit", 1e300],
    ["monthlyMessageLimit", "5"],
    ["monthlyMessageLimit", {}],
    ["requestLimit", 5],
    ["requestLimit", []],
    ["requestLimit", {}],
    ["requestLimit", { max: 1 }],
    ["requestLimit", { max: 0, intervalMs: 1 }],
    ["requestLimit", { max: 1, intervalMs: 0 }],
    ["requestLimit", { max: 1, intervalMs: 86_400_001 }],
    ["requestLimit", { max: 1, intervalMs: 1, more: 1 }],
    ["requestLimit", { max: "1", intervalMs: 1 }],
    ["unknown", 1],
    ["state", "SUSPENDED"],
    ["__proto__", {}],
  ];

  test.each(fields)("%s: %j is refused, and nothing changes", async (field, value) => {
    const everything = async () => ({
      account: await operated("GET", steady),
      entries: (await operated("GET", "/v1/operator/audit-log")).items,
    });
    const before = await everything();
    const body = `{${JSON.stringify(field)}:${JSON.stringify(value)}}`;
    for (const [method, path] of [
      ["POST", "/v1/accounts"],
      ["PATCH", steady],
    ] as const) {
      const answer = await operate(method, path, body);
      expectRefusalNaming(answer, 400, "E-DI-1001", new RegExp(`^${field}`));
    }
    expect(await everything()).toStrictEqual(before);
  });

  test.each(["", "a b", "a/b", "ü", "operator:", "x".repeat(65), 5, null])(
    "accountId: %j is refused",
    async (accountId) => {
      const answer = await operate("POST", "/v1/accounts", { accountId });
      expectRefusalNaming(answer, 400, "E-DI-1001", /^accountId$/);
    },
  );

  test("a key needs a name and scopes, and an account", async () => {
    const { accountId } = await service.account();
    const path = `/v1/accounts/${accountId}/keys`;
    expectRefusal(
      await operate("POST", path, {}),
      400,
      { code: "E-DI-1001", field: "name" },
      { code: "E-DI-1001", field: "scopes" },
    );
    const wrong = await operate("POST", path, { name: "x", scopes: ["admin"] });
    expectRefusalNaming(wrong, 400, "E-DI-1001", /^scopes/);
  });

  test("all problems are named at once, including those of parameters", async () => {
    const answer = await operate("POST", "/v1/accounts?x=1", { accountId: "", name: "" });
    expectRefusal(
      answer,
      400,
      { code: "E-DI-1001", field: "accountId" },
      { code: "E-DI-1001", field: "name" },
      { code: "E-DI-1001", field: "x" },
    );
  });

  test.each<[method: string, path: string, body?: unknown]>([
    ["GET", ""],
    ["PATCH", "", { name: "x" }],
    ["PATCH", "", {}],
    ["DELETE", ""],
    ["POST", "/suspend"],
    ["POST", "/resume"],
    ["POST", "/keys", { name: "x", scopes: ["scheduler.all.read"] }],
  ])("%s an unknown account%s: 404", async (method, below, body) => {
    for (const id of ["nobody", "%00", "a%2Fb", "%F0%9F%98%80", "x".repeat(5_000)]) {
      const answer = await operate(method, `/v1/accounts/${id}${below}`, body);
      expectRefusal(answer, 404, { code: "E-DI-4001" });
    }
  });
});

describe("changing", () => {
  test("given fields change at once, and the others stay", async () => {
    const account = await service.account({ name: "before", monthlyMessageLimit: null });
    await account.ok("POST", "/v1/targets", { targetId: "t", url: service.receiver.url });
    const message = { targetId: "t", deliveryTime: farAway, payload: "hello" };
    await account.ok("POST", "/v1/messages", message);
    const path = `/v1/accounts/${account.accountId}`;
    const limited = await operated("PATCH", path, { monthlyMessageLimit: 1 });
    expect(limited).toMatchObject({ name: "before", monthlyMessageLimit: 1, requestLimit: null });
    const schedule = () => service.api("POST", "/v1/messages", { key: account.key, body: message });
    expectRefusal(await schedule(), 400, { code: "E-DI-5005" });
    await operated("PATCH", path, { monthlyMessageLimit: null, name: "after" });
    expect((await schedule()).status).toBe(200);
    expect(await operated("GET", path)).toMatchObject({
      name: "after",
      monthlyMessageLimit: null,
      usage: { used: 2 },
    });
    expect(await operated("PATCH", path, {})).toMatchObject({ name: "after" });
  });

  test("a refused field says where it can be changed", async () => {
    const { accountId } = await service.account();
    const answer = await operate("PATCH", `/v1/accounts/${accountId}`, { state: "SUSPENDED" });
    expectRefusal(answer, 400, { code: "E-DI-1001", field: "state" });
    expect(answer.text).toContain("/suspend");
  });
});

async function accountIds(): Promise<string[]> {
  const found: string[] = [];
  let pageToken = "";
  for (;;) {
    const query = pageToken === "" ? "" : `&pageToken=${pageToken}`;
    const page = await operated("GET", `/v1/accounts?limit=3${query}`);
    expect(page.count).toBe(page.items.length);
    found.push(...page.items.map(({ accountId }: { accountId: string }) => accountId));
    if (page.nextPageToken === null) return found;
    pageToken = page.nextPageToken;
  }
}

describe("listing", () => {
  test("a walk returns every account once, by its id", async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => service.account()));
    const found = await accountIds();
    expect(found).toEqual(found.toSorted());
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(
      expect.arrayContaining(["acc_default", ...made.map(({ accountId }) => accountId)]),
    );
  });

  test("tokens and limits are checked as in every list", async () => {
    const { pageToken } = await operated("GET", "/v1/accounts?limit=1");
    const bad = { code: "E-DI-1002", field: "pageToken" };
    expectRefusal(await operate("GET", `/v1/accounts?pageToken=${pageToken}x`), 400, bad);
    expectRefusal(await operate("GET", `/v1/operator/audit-log?pageToken=${pageToken}`), 400, bad);
    const targets = await service.api("GET", `/v1/targets?pageToken=${pageToken}`);
    expectRefusal(targets, 400, bad);
    for (const limit of ["0", "101", "1e2", "", "-1"]) {
      const answer = await operate("GET", `/v1/accounts?limit=${limit}`);
      expectRefusal(answer, 400, { code: "E-DI-1001", field: "limit" });
    }
  });
});

describe("who may", () => {
  const routes: readonly [method: string, path: string, body?: unknown][] = [
    ["POST", "/v1/accounts", {}],
    ["GET", "/v1/accounts"],
    ["GET", "/v1/accounts/acc_default"],
    ["PATCH", "/v1/accounts/acc_default", { name: "mine" }],
    ["DELETE", "/v1/accounts/acc_default"],
    ["POST", "/v1/accounts/acc_default/suspend"],
    ["POST", "/v1/accounts/acc_default/resume"],
    ["POST", "/v1/accounts/acc_default/keys", { name: "x", scopes: ["scheduler.all.read"] }],
    ["GET", "/v1/accounts/acc_default/audit-log"],
    ["GET", "/v1/operator/audit-log"],
  ];

  test.each(routes)("only the operator may call %s %s", async (method, path, body) => {
    expectRefusal(await service.api(method, path, { body }), 403, { code: "E-DI-2002" });
    expectRefusal(await service.api(method, path, { body, key: null }), 401, { code: "E-DI-2001" });
    const wrong = await service.api(method, path, { body, key: "pdo_operator_of_the_test_suitf" });
    expectRefusal(wrong, 401, { code: "E-DI-2001" });
  });

  test("the operator's key gives no access to an account", async () => {
    for (const path of [
      "/v1/account",
      "/v1/targets",
      "/v1/usage",
      "/v1/audit-log",
      "/v1/clients",
    ]) {
      expectRefusal(await operate("GET", path), 403, { code: "E-DI-2002" });
    }
  });

  test("an account sees itself, and nothing that only the operator may see", async () => {
    const account = await service.account({ name: "Blue Shop", monthlyMessageLimit: 5 });
    expect(await account.ok("GET", "/v1/account")).toStrictEqual({
      accountId: account.accountId,
      name: "Blue Shop",
      state: "ACTIVE",
      monthlyMessageLimit: 5,
      requestLimit: null,
      creationTime: anyInstant,
    });
    const { key } = await account.ok("POST", "/v1/keys", {
      name: "m",
      scopes: ["scheduler.messages.readwrite"],
    });
    expectRefusal(await service.api("GET", "/v1/account", { key }), 403, { code: "E-DI-2002" });
  });

  test("a key that the operator makes gives access to the account, with its scopes", async () => {
    const account = await service.account();
    const made = await operate("POST", `/v1/accounts/${account.accountId}/keys`, {
      name: "recovery",
      scopes: ["scheduler.all.read"],
    });
    expect(made.headers.get("cache-control")).toBe("no-store");
    const { key, ...entry } = made.body;
    expect((await service.api("GET", "/v1/account", { key })).body.accountId).toBe(
      account.accountId,
    );
    expectRefusal(await service.api("POST", "/v1/keys", { key, body: {} }), 403, {
      code: "E-DI-2002",
    });
    expect((await account.ok("GET", "/v1/keys")).items).toContainEqual(entry);
  });
});

test("only the default account sees nodes and their hosts", async () => {
  const { key } = await service.account();
  expectRefusal(await service.api("GET", "/v1/nodes", { key }), 403, { code: "E-DI-2002" });
  expect((await service.api("GET", "/v1/nodes")).body.items).toHaveLength(1);
});
