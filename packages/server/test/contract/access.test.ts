import { describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { anyInstant, expectRefusal } from "../support/expectations.ts";

const service = commonService();
const createKey = (body: unknown) => service.api("POST", "/v1/keys", { body });

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
