import { expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { commonService } from "../support/common-service.ts";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import type { TestAccount } from "../support/operated-service.ts";

const service = commonService();
const { operate, operated } = service;

const suspend = (accountId: string) => operated("POST", `/v1/accounts/${accountId}/suspend`);
const resume = (accountId: string) => operated("POST", `/v1/accounts/${accountId}/resume`);

/** Adds a target of the account at the receiver. Returns its path there. */
async function addTarget(account: TestAccount): Promise<string> {
  const path = `/${account.accountId}`;
  await account.ok("POST", "/v1/targets", {
    targetId: "t",
    url: service.receiver.url + path,
    retryPolicy: { maxAttempts: 2, backoff: { kind: "list", delaysMs: [20] } },
  });
  return path;
}

/** Late enough to suspend an account before, even on a busy machine. */
const times = () => ({ soonTime: inMs(2_000), laterTime: inMs(2_200) });

const messageDue = (deliveryTime: string) => ({ targetId: "t", deliveryTime, payload: "hello" });

test("its keys are refused and nothing is delivered until it is resumed", async () => {
  const account = await service.account();
  const other = await service.account();
  const path = await addTarget(account);
  const otherPath = await addTarget(other);
  const { soonTime, laterTime } = times();
  const soon = await account.ok("POST", "/v1/messages", messageDue(soonTime));
  const suspended = await suspend(account.accountId);
  expect(suspended).toMatchObject({ state: "SUSPENDED", suspensionTime: anyInstant });
  for (const [method, route] of [
    ["GET", "/v1/account"],
    ["GET", "/v1/usage"],
    ["GET", `/v1/messages/${soon.messageId}`],
    ["POST", "/v1/messages"],
    ["POST", `/v1/messages/${soon.messageId}/cancel`],
    ["DELETE", "/v1/targets/t"],
  ] as const) {
    const answer = await service.api(method, route, { key: account.key });
    expectRefusal(answer, 403, { code: "E-DI-4003" });
  }
  // A later message of another account goes out. By then, one of the suspended account would have gone too.
  await other.ok("POST", "/v1/messages", messageDue(laterTime));
  await service.receiver.received(1, (receipt) => receipt.path === otherPath);
  expect(service.receiver.receipts.filter((receipt) => receipt.path === path)).toEqual([]);

  expect(await suspend(account.accountId)).toStrictEqual(suspended);
  expect(await resume(account.accountId)).toMatchObject({
    state: "ACTIVE",
    suspensionTime: null,
  });
  const [receipt] = await service.receiver.received(1, (one) => one.path === path);
  expect(receipt!.messageId).toBe(soon.messageId);
  expect((await account.ok("GET", "/v1/account")).state).toBe("ACTIVE");
  expect(await resume(account.accountId)).toMatchObject({ state: "ACTIVE" });
});

test("only a suspended account, and the default account never", async () => {
  const { accountId } = await service.account();
  const remove = (id: string) => operate("DELETE", `/v1/accounts/${id}`);
  expectRefusal(await remove(accountId), 409, { code: "E-DI-4004" });
  expectRefusal(await remove("acc_default"), 409, { code: "E-DI-4005" });
  expect((await operated("GET", `/v1/accounts/${accountId}`)).state).toBe("ACTIVE");
});

test("its credentials are refused, its messages are not sent, and it seems never to have existed", async () => {
  const account = await service.account();
  const path = await addTarget(account);
  const client = await account.ok("POST", "/v1/clients", {
    name: "c",
    scopes: ["scheduler.all.read"],
  });
  const { soonTime, laterTime } = times();
  await account.ok("POST", "/v1/messages", messageDue(soonTime));
  const { accountId, key } = account;
  const suspended = await suspend(accountId);
  const use = () => service.api("GET", "/v1/account", { key });
  expectRefusal(await use(), 403, { code: "E-DI-4003" });
  expect(await operated("DELETE", `/v1/accounts/${accountId}`)).toStrictEqual(suspended);
  expectRefusal(await use(), 401, { code: "E-DI-2001" });
  for (const [method, below] of [
    ["GET", ""],
    ["POST", "/resume"],
    ["DELETE", ""],
  ] as const) {
    const answer = await operate(method, `/v1/accounts/${accountId}${below}`);
    expectRefusal(answer, 404, { code: "E-DI-4001" });
  }
  const token = await fetch(`${service.url}/oauth/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  expect(token.status).toBe(401);
  const { items } = await operated("GET", "/v1/accounts");
  expect(items.map((one: { accountId: string }) => one.accountId)).not.toContain(accountId);

  const other = await service.account();
  const otherPath = await addTarget(other);
  await other.ok("POST", "/v1/messages", messageDue(laterTime));
  await service.receiver.received(1, (receipt) => receipt.path === otherPath);
  expect(service.receiver.receipts.filter((receipt) => receipt.path === path)).toEqual([]);
});
