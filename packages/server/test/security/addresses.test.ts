import { beforeAll, describe, expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { expectRefusal } from "../support/expectations.ts";
import { sharedService } from "../support/shared-service.ts";
import { refusedUrls } from "./refused-urls.ts";

/**
 * The service checks addresses before it asks the store, and connections do not use the store. So one
 * server is enough for these tests. It has its own name server and allows nothing but one address that no
 * test uses.
 */
const names = import.meta.resolve("./rebinding-names.ts");
const service = sharedService({
  allowCidr: "203.0.113.77/32",
  env: { NODE_OPTIONS: `--import=${names}` },
});
const lookupKeptMs = 5_000;

let rebound: { readonly messageId: string };
beforeAll(async () => {
  const { port } = new URL(service.receiver.url);
  await service.ok("POST", "/v1/targets", {
    body: { targetId: "rebinding", url: `http://rebinding.test:${port}/`, timeoutMs: 1_000 },
  });
  // The name resolves to the public address while a look-up is cached. Then the service looks it up again.
  rebound = await service.ok("POST", "/v1/messages", {
    body: { targetId: "rebinding", deliveryTime: inMs(lookupKeptMs + 50), payload: "" },
  });
  await service.ok("POST", "/v1/targets", {
    body: { targetId: "steady", url: "https://hooks.example.com/in" },
  });
});

describe.each(Object.entries(refusedUrls))("%s", (_, { code, urls }) => {
  test.each(urls)("%j", async (url) => {
    const before = (await service.ok("GET", "/v1/targets")).items;
    const created = await service.api("POST", "/v1/targets", { body: { url } });
    expectRefusal(created, 400, { code, field: "url" });
    const changed = await service.api("PATCH", "/v1/targets/steady", { body: { url } });
    expectRefusal(changed, 400, { code, field: "url" });
    expect((await service.ok("GET", "/v1/targets")).items).toStrictEqual(before);
  });
});

test("a public address, or the one allowed address, is accepted", async () => {
  for (const host of ["93.184.215.14", "[2606:4700::1111]", "203.0.113.77", "hooks.example.com"]) {
    const url = `https://${host}/`;
    const created = await service.api("POST", "/v1/targets", { body: { url } });
    expect([host, created.status]).toEqual([host, 200]);
    await service.ok("DELETE", `/v1/targets/${created.body.targetId}`);
  }
});

test("a name that is public at the check and means this machine at the attempt", async () => {
  const { messageId } = rebound;
  const message = await service.reaches(messageId, "DEAD_LETTER");
  expect(message.deliveryFailureCount).toBe(1);
  const { attempts } = await service.ok("GET", `/v1/messages/${messageId}/attempts`);
  expect(attempts).toMatchObject([
    {
      outcome: "ADDRESS_REFUSED",
      statusCode: null,
      error: "the address of rebinding.test is not allowed",
    },
  ]);
  const tried = await service.ok("POST", "/v1/targets/rebinding/test");
  expect(tried.attempt).toMatchObject({ outcome: "ADDRESS_REFUSED", statusCode: null });
  expect(service.receiver.receipts).toEqual([]);
});
