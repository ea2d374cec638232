import { describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { anyInstant, expectRefusal, expectRefusalNaming } from "../support/expectations.ts";

const service = commonService();
const unknown = { code: "E-DI-1003" };

interface MadeClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

const create = (body: unknown, key?: string) =>
  service.api("POST", "/v1/clients", key === undefined ? { body } : { body, key });
const createSound = (): Promise<MadeClient> =>
  service.ok("POST", "/v1/clients", {
    body: { name: "shop", scopes: ["scheduler.messages.readwrite"] },
  });

async function tokenOf({ clientId, clientSecret }: MadeClient) {
  const response = await fetch(`${service.url}/oauth/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  const body = (await response.json()) as { access_token: string };
  return { status: response.status, token: body.access_token };
}

test("a client shows its secret once, and its tokens allow what its scopes allow", async () => {
  const answer = await create({
    name: "billing ü",
    scopes: ["scheduler.messages.read", "scheduler.all.read"],
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const { clientSecret, ...client } = answer.body;
  expect(client).toStrictEqual({
    clientId: expect.stringMatching(/^cli_[0-9a-z]{20}$/),
    name: "billing ü",
    scopes: ["scheduler.all.read", "scheduler.messages.read"],
    creationTime: anyInstant,
    secretTime: client.creationTime,
  });
  expect(clientSecret).toMatch(/^pds_[\w-]{43}$/);
  const got = await service.api("GET", `/v1/clients/${client.clientId}`);
  const list = await service.api("GET", "/v1/clients");
  expect(got.body).toStrictEqual(client);
  expect(list.body.items).toContainEqual(client);
  expect(got.text + list.text).not.toContain(clientSecret);
  const { token } = await tokenOf(answer.body);
  expect((await service.api("GET", "/v1/targets", { key: token })).status).toBe(200);
  const beyond = await service.api("POST", "/v1/targets", { key: token, body: {} });
  expectRefusal(beyond, 403, { code: "E-DI-2002" });
});

test("a rotated secret stays valid for the requested overlap", async () => {
  const first = await createSound();
  const path = `/v1/clients/${first.clientId}/rotate-secret`;
  const second = await service.ok("POST", path);
  expect(second.clientSecret).not.toBe(first.clientSecret);
  expect(second.secretTime >= second.creationTime).toBe(true);
  expect((await tokenOf(first)).status).toBe(200);
  expect((await tokenOf(second)).status).toBe(200);
  const third = await service.ok("POST", path, { body: { overlapMs: 0 } });
  expect((await tokenOf(first)).status).toBe(401);
  expect((await tokenOf(second)).status).toBe(401);
  expect((await tokenOf(third)).status).toBe(200);
});

test("a removed client's tokens end at once", async () => {
  const client = await createSound();
  const { token } = await tokenOf(client);
  expect((await service.api("GET", "/v1/usage", { key: token })).status).toBe(200);
  const { clientSecret: _, ...shown } = client;
  const path = `/v1/clients/${client.clientId}`;
  expect(await service.ok("DELETE", path)).toStrictEqual(shown);
  expectRefusal(await service.api("GET", "/v1/usage", { key: token }), 401, { code: "E-DI-2001" });
  expect((await tokenOf(client)).status).toBe(401);
  expectRefusal(await service.api("GET", path), 404, unknown);
  expectRefusal(await service.api("DELETE", path), 404, unknown);
});

test("another account's client gets the same answer as a client that does not exist", async () => {
  const client = await createSound();
  const { key } = await service.account();
  const path = `/v1/clients/${client.clientId}`;
  for (const [method, below] of [
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/rotate-secret"],
  ] as const) {
    const theirs = await service.api(method, path + below, { key });
    expectRefusal(theirs, 404, unknown);
    for (const id of ["cli_00000000000000000000", "nope", "%00", "x".repeat(5_000)]) {
      const none = await service.api(method, `/v1/clients/${id}${below}`, { key });
      expect([none.status, none.text]).toEqual([theirs.status, theirs.text]);
    }
  }
  expect((await service.api("GET", "/v1/clients", { key })).body).toEqual({ items: [] });
  expect((await tokenOf(client)).status).toBe(200);
});

test("a client can do no more than its creator", async () => {
  const client = await service.ok("POST", "/v1/clients", {
    body: { name: "x", scopes: ["scheduler.all.readwrite"] },
  });
  const { token } = await tokenOf(client);
  // Every credential that may create a client may grant every scope. Others are refused before.
  expect((await create({ name: "y", scopes: ["scheduler.all.read"] }, token)).status).toBe(200);
  const { key } = await service.ok("POST", "/v1/keys", {
    body: { name: "r", scopes: ["scheduler.all.read"] },
  });
  expectRefusal(await create({ name: "z", scopes: ["scheduler.all.read"] }, key), 403, {
    code: "E-DI-2002",
  });
});

describe("bad input", () => {
  test.each<[string, unknown]>([
    ["name", undefined],
    ["name", ""],
    ["name", "x".repeat(101)],
    ["name", "a\0b"],
    ["name", "\ud83d"],
    ["name", 5],
    ["scopes", undefined],
    ["scopes", []],
    ["scopes", "scheduler.all.read"],
    ["scopes", ["scheduler.all"]],
    ["scopes", ["scheduler.all.read", "scheduler.all.read"]],
    ["clientId", "mine"],
    ["clientSecret", "pds_mine"],
  ])("%s: %j is refused, and no client is made", async (field, value) => {
    const before = await service.ok("GET", "/v1/clients");
    const answer = await create({ name: "x", scopes: ["scheduler.all.read"], [field]: value });
    expectRefusalNaming(answer, 400, "E-DI-1001", new RegExp(`^${field}`));
    expect(await service.ok("GET", "/v1/clients")).toStrictEqual(before);
  });

  test.each<[string, unknown]>([
    ["overlapMs", -1],
    ["overlapMs", 7 * 86_400_000 + 1],
    ["overlapMs", 1.5],
    ["overlapMs", "1"],
    ["overlapMs", null],
    ["secret", "x"],
  ])("rotating with %s: %j is refused, and the secret stays", async (field, value) => {
    const client = await createSound();
    const answer = await service.api("POST", `/v1/clients/${client.clientId}/rotate-secret`, {
      body: { [field]: value },
    });
    expectRefusal(answer, 400, { code: "E-DI-1001", field });
    expect((await tokenOf(client)).status).toBe(200);
  });
});
