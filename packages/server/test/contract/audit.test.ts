import { describe, expect, test } from "vitest";
import { operatorKey, rootKey } from "../support/server-process.ts";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import { operatedService } from "../support/operated-service.ts";
import { patiently } from "../support/shared-service.ts";

const service = operatedService();
const { operate, operated } = service;

interface Entry {
  readonly entryId: string;
  readonly time: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly requestId: string;
  readonly action: string;
  readonly subjectId: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly accountId?: string | null;
}

const byOperator = { kind: "operator", id: "operator" };

test("every change is recorded once, with actor, request, action and object, and never a secret", async () => {
  const requestIds: string[] = [];
  const secrets: string[] = [operatorKey, rootKey];
  const call = async (method: string, path: string, key: string, body?: unknown) => {
    const requestId = `test-${requestIds.push("") - 1}`;
    const answer = await service.api(method, path, {
      key,
      body,
      headers: { "x-request-id": requestId },
    });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    for (const name of ["key", "secret", "clientSecret"]) {
      if (answer.body[name] !== undefined) secrets.push(answer.body[name]);
    }
    return answer.body;
  };
  const asOperator = (method: string, path: string, body?: unknown) =>
    call(method, path, operatorKey, body);

  const account = await asOperator("POST", "/v1/accounts", {
    name: "Audited",
    requestLimit: { max: 1_000, intervalMs: 1_000 },
  });
  const { accountId } = account;
  const own = `/v1/accounts/${accountId}`;
  const asAccount = (method: string, path: string, body?: unknown) =>
    call(method, path, account.key, body);
  const [{ keyId: firstKeyId }] = (await asAccount("GET", "/v1/keys")).items;
  const byFirstKey = { kind: "key", id: firstKeyId };

  await asAccount("POST", "/v1/targets", {
    targetId: "t",
    url: "http://127.0.0.1:9/",
    headers: { "x-token": "a-header-that-is-a-secret" },
  });
  secrets.push("a-header-that-is-a-secret");
  await asAccount("PATCH", "/v1/targets/t", { timeoutMs: 500, headers: {} });
  await asAccount("POST", "/v1/targets/t/pause");
  await asAccount("POST", "/v1/targets/t/pause");
  await asAccount("POST", "/v1/targets/t/resume");
  await asAccount("POST", "/v1/targets/t/rotate-secret");
  await asAccount("DELETE", "/v1/targets/t");
  const key = await asAccount("POST", "/v1/keys", { name: "k", scopes: ["scheduler.all.read"] });
  await asAccount("DELETE", `/v1/keys/${key.keyId}`);
  const client = await asAccount("POST", "/v1/clients", {
    name: "c",
    scopes: ["scheduler.all.readwrite"],
  });
  await asAccount("POST", `/v1/clients/${client.clientId}/rotate-secret`, { overlapMs: 0 });
  await asAccount("DELETE", `/v1/clients/${client.clientId}`);
  await asOperator("PATCH", own, { name: "Audited", monthlyMessageLimit: 7, requestLimit: null });
  await asOperator("PATCH", own, { monthlyMessageLimit: 7 });
  const spare = await asOperator("POST", `${own}/keys`, {
    name: "spare",
    scopes: ["scheduler.messages.read"],
  });
  await asOperator("POST", `${own}/suspend`);
  await asOperator("POST", `${own}/suspend`);
  await asOperator("POST", `${own}/resume`);
  await asOperator("POST", `${own}/resume`);

  const log = await service.api("GET", "/v1/audit-log?limit=100", { key: account.key });
  // Sorts by request, because entries of the same millisecond are in the order of their ids.
  const numberOf = ({ requestId }: Entry) => Number(requestId.slice("test-".length));
  const entries = (log.body.items as Entry[]).toSorted((a, b) => numberOf(a) - numberOf(b));
  const told = entries.map(({ actor, action, subjectId, detail }) => [
    actor,
    action,
    subjectId,
    detail,
  ]);
  const limits = { "requestLimit.max": 1_000, "requestLimit.intervalMs": 1_000 };
  const readwrite = ["scheduler.all.readwrite"];
  expect(told.slice(0, 2)).toEqual(
    expect.arrayContaining([
      [byOperator, "account.created", accountId, { name: "Audited", ...limits }],
      [byOperator, "key.created", firstKeyId, { name: "first key", scopes: readwrite }],
    ]),
  );
  expect(told.slice(2)).toEqual([
    [byFirstKey, "target.created", "t", expect.anything()],
    [byFirstKey, "target.updated", "t", { fields: expect.arrayContaining(["timeoutMs"]) }],
    [byFirstKey, "target.paused", "t", {}],
    [byFirstKey, "target.resumed", "t", {}],
    [byFirstKey, "target.secret-rotated", "t", { overlapMs: 86_400_000 }],
    [byFirstKey, "target.removed", "t", {}],
    [byFirstKey, "key.created", key.keyId, { name: "k", scopes: ["scheduler.all.read"] }],
    [byFirstKey, "key.revoked", key.keyId, {}],
    [byFirstKey, "client.created", client.clientId, { name: "c", scopes: readwrite }],
    [byFirstKey, "client.secret-rotated", client.clientId, { overlapMs: 0 }],
    [byFirstKey, "client.removed", client.clientId, {}],
    [
      byOperator,
      "account.updated",
      accountId,
      {
        fields: ["monthlyMessageLimit", "requestLimit"],
        monthlyMessageLimit: 7,
        requestLimit: null,
      },
    ],
    [
      byOperator,
      "key.created",
      spare.keyId,
      { name: "spare", scopes: ["scheduler.messages.read"] },
    ],
    [byOperator, "account.suspended", accountId, {}],
    [byOperator, "account.resumed", accountId, {}],
  ]);
  for (const entry of entries) {
    expect(Object.keys(entry).toSorted()).toEqual(
      ["entryId", "time", "actor", "requestId", "action", "subjectId", "detail"].toSorted(),
    );
    expect(entry.entryId).toMatch(/^aud_/);
    expect(entry.time).toEqual(anyInstant);
    expect(entry.requestId).toMatch(/^test-\d+$/);
  }

  // The server's own log has one line for each entry too.
  const lines = () =>
    service.server
      .output()
      .split("\n")
      .filter((line) => line.includes('"audit"') && line.includes(accountId))
      .map((line) => JSON.parse(line) as Entry);
  await expect.poll(() => lines().length, patiently).toBe(entries.length);
  expect(lines().toSorted((a, b) => a.entryId.localeCompare(b.entryId))).toMatchObject(
    entries
      .map((entry) => ({ ...entry, time: anyInstant, accountId, level: "info", msg: "audit" }))
      .toSorted((a, b) => a.entryId.localeCompare(b.entryId)),
  );

  const all = await operate("GET", "/v1/operator/audit-log?limit=100");
  for (const secret of secrets) {
    expect(log.text + all.text + service.server.output()).not.toContain(secret);
  }
});

test("refused calls are not recorded", async () => {
  const account = await service.account();
  const before = await account.ok("GET", "/v1/audit-log");
  const refused: readonly [method: string, path: string, body?: unknown][] = [
    ["POST", "/v1/targets", { url: "no url" }],
    ["DELETE", "/v1/targets/nope"],
    ["POST", "/v1/targets/nope/pause"],
    ["DELETE", "/v1/keys/nope"],
    ["DELETE", "/v1/clients/cli_00000000000000000000"],
    ["POST", "/v1/clients/cli_00000000000000000000/rotate-secret"],
    ["POST", "/v1/clients", {}],
  ];
  for (const [method, path, body] of refused) {
    const { status } = await service.api(method, path, { key: account.key, body });
    expect(status).toBeGreaterThanOrEqual(400);
  }
  const own = `/v1/accounts/${account.accountId}`;
  expectRefusal(await operate("DELETE", own), 409, { code: "E-DI-4004" });
  const again = await operate("POST", "/v1/accounts", { accountId: account.accountId });
  expectRefusal(again, 409, { code: "E-DI-4002", field: "accountId" });
  expect((await account.ok("GET", "/v1/audit-log")).items).toStrictEqual(before.items);
});

describe("reading", () => {
  test("an account reads its own entries, and the operator reads all, including those of removed accounts", async () => {
    const one = await service.account();
    const other = await service.account();
    const idsOf = ({ items }: { items: Entry[] }) => items.map(({ subjectId }) => subjectId);
    expect(idsOf(await one.ok("GET", "/v1/audit-log"))).toContain(one.accountId);
    expect(idsOf(await one.ok("GET", "/v1/audit-log"))).not.toContain(other.accountId);
    const ofOne = await operated("GET", `/v1/accounts/${one.accountId}/audit-log`);
    expect(ofOne.items.map(({ accountId }: Entry) => accountId)).toEqual([
      one.accountId,
      one.accountId,
    ]);
    expect(idsOf(await operated("GET", "/v1/operator/audit-log"))).toEqual(
      expect.arrayContaining([one.accountId, other.accountId]),
    );
    await operated("POST", `/v1/accounts/${one.accountId}/suspend`);
    await operated("DELETE", `/v1/accounts/${one.accountId}`);
    const after = await operated("GET", `/v1/accounts/${one.accountId}/audit-log`);
    expect(after.items.map(({ action }: Entry) => action)).toEqual(
      expect.arrayContaining(["account.removed", "account.suspended", "account.created"]),
    );
    for (const id of ["nobody", "%00", "x".repeat(5_000)]) {
      expect((await operated("GET", `/v1/accounts/${id}/audit-log`)).items).toEqual([]);
    }
  });

  test("a walk returns every entry in the requested time once, newest first", async () => {
    const account = await service.account();
    for (let made = 0; made < 6; made++) {
      await account.ok("POST", "/v1/keys", { name: "k", scopes: ["scheduler.all.read"] });
    }
    const whole = await account.ok("GET", "/v1/audit-log");
    expect(whole.count).toBe(8);
    const times = whole.items.map(({ time }: Entry) => time);
    expect(times).toEqual(times.toSorted().toReversed());
    const found: Entry[] = [];
    let query = "limit=3";
    for (;;) {
      const page = await account.ok("GET", `/v1/audit-log?${query}`);
      found.push(...page.items);
      if (page.nextPageToken === null) break;
      query = `limit=3&pageToken=${page.nextPageToken}`;
    }
    expect(found).toStrictEqual(whole.items);

    const { time } = whole.items[3];
    const within = (some: (other: string) => boolean) =>
      whole.items.filter((entry: Entry) => some(entry.time));
    const from = await account.ok("GET", `/v1/audit-log?minTime=${time}`);
    expect(from.items).toStrictEqual(within((other) => other >= time));
    const until = await account.ok("GET", `/v1/audit-log?maxTime=${time}`);
    expect(until.items).toStrictEqual(within((other) => other <= time));
  });

  test("parameters are checked as in every list, and tokens belong to their walk", async () => {
    const one = await service.account();
    const other = await service.account();
    const { pageToken } = await one.ok("GET", "/v1/audit-log");
    const bad = { code: "E-DI-1002", field: "pageToken" };
    for (const [path, key] of [
      ["/v1/audit-log", other.key],
      ["/v1/targets", one.key],
      [`/v1/accounts/${one.accountId}/audit-log`, operatorKey],
      ["/v1/operator/audit-log", operatorKey],
    ] as const) {
      const answer = await service.api("GET", `${path}?pageToken=${pageToken}`, { key });
      expectRefusal(answer, 400, bad);
    }
    const narrowed = await service.api(
      "GET",
      `/v1/audit-log?minTime=2020-01-01T00:00:00Z&pageToken=${pageToken}`,
      { key: one.key },
    );
    expectRefusal(narrowed, 400, bad);
    const wrong = (query: string) => service.api("GET", `/v1/audit-log?${query}`, { key: one.key });
    for (const [query, field] of [
      ["limit=0", "limit"],
      ["limit=101", "limit"],
      ["limit=1e1", "limit"],
      ["minTime=yesterday", "minTime"],
      ["maxTime=2026-02-30T00:00:00Z", "maxTime"],
      ["minTime=2027-01-01T00:00:00Z&maxTime=2026-01-01T00:00:00Z", "minTime"],
      ["order=up", "order"],
    ] as const) {
      expectRefusal(await wrong(query), 400, { code: "E-DI-1001", field });
    }
  });

  test("it requires scheduler.all.read", async () => {
    const account = await service.account();
    for (const [scope, status] of [
      ["all.read", 200],
      ["messages.readwrite", 403],
    ] as const) {
      const { key } = await account.ok("POST", "/v1/keys", {
        name: scope,
        scopes: [`scheduler.${scope}`],
      });
      expect((await service.api("GET", "/v1/audit-log", { key })).status).toBe(status);
    }
  });
});
