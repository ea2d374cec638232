import { expect, onTestFinished, test } from "vitest";
import { openTestApi, operatorKey } from "../testing/open-test-api.ts";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi();

const create = (body: object) => api.call({ method: "POST", url: "/v1/keys", body });
const revoke = (keyId: string, key = api.rootKey) =>
  api.call({ key, method: "DELETE", url: `/v1/keys/${keyId}` });

test("a key works at once, is listed without the key itself, and stops with its revocation", async () => {
  const made = await create({ name: "worker", scopes: ["scheduler.messages.read"] });
  expect(made.headers["cache-control"]).toBe("no-store");
  const { key, ...shown } = made.json<{ key: string; keyId: string }>();
  expect(key).toMatch(/^pd_[A-Za-z0-9_-]{55}$/);
  expect(shown).toMatchObject({ name: "worker", scopes: ["scheduler.messages.read"] });
  const use = () => api.call({ key, url: "/v1/targets/x/dead-letters" });
  expect((await use()).statusCode).toBe(200);
  const listed = (await api.call({ url: "/v1/keys" })).json<{ items: unknown[] }>();
  expect(listed.items).toContainEqual(shown);
  expect(JSON.stringify(listed)).not.toContain(key);
  expect((await revoke(shown.keyId)).json()).toEqual(shown);
  expect((await use()).statusCode).toBe(401);
  const again = await revoke(shown.keyId);
  expect(again.statusCode).toBe(404);
  expect(again.json()).toMatchObject({ errors: [{ code: "E-DI-1003" }] });
});

test("a key can revoke itself, but the root key cannot be revoked", async () => {
  const scopes = ["scheduler.all.readwrite"];
  const made = (await create({ name: "self", scopes })).json<{ key: string; keyId: string }>();
  expect((await revoke(made.keyId, made.key)).statusCode).toBe(200);
  expect((await revoke(made.keyId, made.key)).statusCode).toBe(401);
  const root = await revoke("key_root");
  expect(root.statusCode).toBe(400);
  expect(root.json()).toMatchObject({ errors: [{ code: "E-DI-1001" }] });
  expect((await api.call({ url: "/v1/keys" })).statusCode).toBe(200);
});

test.each([
  ["nothing", {}, ["name", "scopes"]],
  ["no scope", { name: "x", scopes: [] }, ["scopes"]],
  ["an unknown scope", { name: "x", scopes: ["admin"] }, ["scopes[0]"]],
  ["a name with NUL", { name: "a\0b", scopes: ["scheduler.all.read"] }, ["name"]],
  ["a name too long", { name: "x".repeat(101), scopes: ["scheduler.all.read"] }, ["name"]],
])("refuses %s", async (_name, body, fields) => {
  const answer = await create(body);
  expect(answer.statusCode).toBe(400);
  const { errors } = answer.json<{ errors: { field: string }[] }>();
  expect(errors.map(({ field }) => field).toSorted()).toEqual(fields);
});

/** Fewer than one account may have under way. The store writes them in one commit. */
const atOnce = 200;

test("an account with 1,000 keys or clients must remove one first, and the operator need not", async () => {
  const crowded = await openTestApi();
  onTestFinished(() => crowded.close());
  const body = { name: "x", scopes: ["scheduler.all.read"] };
  const post = (url: string, key = crowded.rootKey) =>
    crowded.call({ key, method: "POST", url, body });
  for (const [url, more] of [
    ["/v1/keys", 999],
    ["/v1/clients", 1_000],
  ] as const) {
    for (let made = 0; made < more; made += atOnce) {
      const count = Math.min(atOnce, more - made);
      const answers = await Promise.all(Array.from({ length: count }, () => post(url)));
      expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(count).fill(200));
    }
    const beyond = await post(url);
    expect(beyond.statusCode).toBe(409);
    expect(beyond.json()).toMatchObject({
      errors: [{ code: "E-DI-2004", message: expect.stringContaining("that is not in use") }],
    });
    const { items } = (await crowded.call({ url })).json<{ items: unknown[] }>();
    expect(items).toHaveLength(1_000);
  }
  const wayIn = await post("/v1/accounts/acc_default/keys", operatorKey);
  expect(wayIn.statusCode).toBe(200);
  const { key } = wayIn.json<{ key: string }>();
  expect((await crowded.call({ key, url: "/v1/keys" })).statusCode).toBe(200);
});
