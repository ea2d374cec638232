import { describe, expect, test } from "vitest";
import { operatedService } from "../../server/test/support/operated-service.ts";
import { farAway, patiently, status } from "../../server/test/support/shared-service.ts";
import { operatorKey, rootKey } from "../../server/test/support/server-process.ts";
import { ApiError, Postdate } from "../src/index.ts";
import type { MessageInput, PostdateOptions } from "../src/index.ts";

const service = operatedService();
const client = (options: PostdateOptions = {}): Postdate =>
  new Postdate({
    url: service.server.url,
    ...(options.clientId === undefined && { key: rootKey }),
    ...options,
  } as PostdateOptions);
const operator = (): Postdate => client({ key: operatorKey });

describe("messages", () => {
  test("are scheduled after a delay, read, moved and cancelled", async () => {
    const { targetId } = await service.target();
    const { messages } = client();
    const options = { idempotencyKey: "same" };
    const input = { targetId, in: { hours: 2 }, json: { orderId: 4711 } };
    const message = await messages.schedule(input, options);
    expect(message).toMatchObject({ targetId, state: "SCHEDULED" });
    const { schedulingTime, nextDeliveryTime, messageId } = message;
    expect(Date.parse(nextDeliveryTime!) - Date.parse(schedulingTime)).toBe(7_200_000);
    expect(await messages.schedule(input, options)).toEqual(message);
    expect(await messages.get(messageId)).toEqual(message);
    expect(await messages.payload(messageId)).toBe('{"orderId":4711}');
    expect(await messages.attempts(messageId)).toEqual([]);
    expect(await messages.reschedule(messageId, farAway)).toMatchObject({
      nextDeliveryTime: farAway,
    });
    const later = await messages.reschedule(messageId, { in: { days: 1 } });
    expect(later.nextDeliveryTime).not.toBe(farAway);
    expect(await messages.cancel(messageId)).toMatchObject({ state: "CANCELLED" });
    const again = await messages.cancel(messageId).catch((error: unknown) => error);
    expect(again).toBeInstanceOf(ApiError);
    expect(again).toMatchObject({ code: "E-DI-5003", status: 400 });
    expect((again as ApiError).requestId).toMatch(/./);
  });

  test("are delivered", async () => {
    const target = await service.target();
    const { messageId } = await client().messages.schedule({
      targetId: target.targetId,
      in: 0,
      payload: "now ✓",
    });
    const [receipt] = await target.received(1);
    expect(receipt?.body.toString()).toBe("now ✓");
    await service.reaches(messageId, "DELIVERED");
    expect(await client().messages.attempts(messageId)).toMatchObject([
      { number: 1, outcome: "DELIVERED", statusCode: 204 },
    ]);
  });

  test("that do not exist are null, or an error that says so", async () => {
    const { messages } = client();
    expect(await messages.get("msg_none")).toBeNull();
    expect(await messages.payload("msg_none")).toBeNull();
    expect(await messages.attempts("msg_none")).toBeNull();
    await expect(messages.cancel("msg_none")).rejects.toMatchObject({ code: "E-DI-5001" });
  });

  test("that come together have their own answers, the same as alone", async () => {
    const { targetId } = await service.target();
    const together = client();
    const apart = client({ gather: false });
    const inputs = Array.from({ length: 200 }, (_, index) => ({
      targetId: index % 7 === 0 ? "nobody" : targetId,
      at: farAway,
      payload: index % 11 === 0 ? "x".repeat(61_441) : `number ${index}`,
    }));
    const tell = (postdate: Postdate) => (input: (typeof inputs)[number], index: number) =>
      postdate.messages.schedule(input, { idempotencyKey: `mixed-${index}` }).then(
        (message) => message,
        (error: unknown) => {
          const { name, status, code, errors, message } = error as ApiError;
          return { name, status, code, errors, message };
        },
      );
    const other = { targetId, at: farAway, payload: "another content of the same key" };
    for (const index of [40, 100]) {
      await apart.messages.schedule(other, { idempotencyKey: `mixed-${index}` });
    }
    const gathered = await Promise.all(inputs.map(tell(together)));
    // The same keys: what was scheduled in a batch is answered again alone.
    const alone = await Promise.all(inputs.map(tell(apart)));
    expect(gathered).toEqual(alone);
    for (const [index, answer] of gathered.entries()) {
      if (!("messageId" in answer)) continue;
      expect(await together.messages.payload(answer.messageId)).toBe(inputs[index]!.payload);
    }
  });

  test("are scheduled by the thousand, and counted once", async () => {
    const { key } = await service.account();
    const { messages, targets } = client({ key });
    await targets.create({ targetId: "many", url: service.receiver.url });
    function* source(): Generator<MessageInput> {
      for (let index = 0; index < 3_500; index++) {
        const payload = `${index}`;
        yield { targetId: "many", at: farAway, payload, idempotencyKey: `many-${index}` };
      }
    }
    const results = await messages.scheduleMany(source());
    expect(results).toHaveLength(3_500);
    const ids = results.map(({ message }) => message?.messageId);
    expect(new Set(ids).size).toBe(3_500);
    const again = await messages.scheduleMany(source());
    expect(again.map(({ message }) => message?.messageId)).toEqual(ids);
    expect(await client({ key }).usage()).toMatchObject({ used: 3_500 });

    const listed: string[] = [];
    for await (const { messageId } of targets.scheduled("many", { limit: 100 })) {
      listed.push(messageId);
    }
    expect(listed.toSorted()).toEqual((ids as string[]).toSorted());
    const sizes: number[] = [];
    for await (const { count } of targets.scheduled("many", { limit: 70 }).pages()) {
      sizes.push(count);
    }
    expect(sizes).toEqual(Array.from({ length: 50 }, () => 70));
    expect(await targets.scheduled("many", { maxTime: new Date(0) }).all()).toEqual([]);
  });

  test("travel as a raw batch", async () => {
    const { targetId } = await service.target();
    const item = { targetId, deliveryTime: farAway, payload: "" };
    const { messages } = client();
    const keyed = [{ ...item, idempotencyKey: "raw" }, item, { ...item, targetId: "nobody" }];
    const [first, second, third] = await messages.scheduleBatch(keyed);
    expect(second?.message?.messageId).not.toBe(first?.message?.messageId);
    expect(third?.errors).toMatchObject([{ code: "E-DI-3001" }]);
    expect((await messages.scheduleBatch(keyed))[0]).toEqual({ ...first, replayed: true });
    const whole = { idempotencyKey: "whole" };
    await expect(messages.scheduleBatch(keyed, whole)).rejects.toMatchObject({ status: 400 });
    const [, none] = await messages.scheduleBatch([item, null as never]);
    expect(none?.errors?.[0]?.message).toMatch(/must be an? object/);
    const batch = await messages.scheduleBatch([item], whole);
    expect(await messages.scheduleBatch([item], whole)).toEqual(batch);
  });
});

test("targets are made, changed, tried and removed", async () => {
  const { targets } = client();
  const url = `${service.receiver.url}/client`;
  const { secret, ...created } = await targets.create({ targetId: "a-b", url });
  expect(secret).toMatch(/^whsec_/);
  expect(await targets.get("a-b")).toEqual(created);
  expect(await targets.get("none")).toBeNull();
  await expect(targets.create({ targetId: "a-b", url })).rejects.toMatchObject({
    code: "E-DI-3002",
    status: 409,
  });
  expect(await targets.update("a-b", { timeoutMs: 5_000 })).toMatchObject({ timeoutMs: 5_000 });
  expect(await targets.pause("a-b")).toMatchObject({ paused: true });
  expect(await targets.resume("a-b")).toMatchObject({ paused: false });
  expect((await targets.rotateSecret("a-b")).secret).not.toBe(secret);
  const tried = await targets.test("a-b", { payload: "try" });
  expect(tried.attempt).toMatchObject({ outcome: "DELIVERED", statusCode: 204 });
  const names = (await targets.list({ limit: 1 }).all()).map((each) => each.targetId);
  expect(names).toContain("a-b");
  expect(await targets.remove("a-b")).toMatchObject({ targetId: "a-b" });
  expect(await targets.get("a-b")).toBeNull();
});

test("dead letters are listed", async () => {
  const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
  target.answerWith(status(500));
  const postdate = client();
  const { messageId } = await postdate.messages.schedule({
    targetId: target.targetId,
    in: 0,
    payload: "",
  });
  await service.reaches(messageId, "DEAD_LETTER");
  const [letter] = await postdate.targets.deadLetters(target.targetId).all();
  expect(letter).toMatchObject({ messageId, state: "DEAD_LETTER" });
});

test("keys and OAuth clients give access, and lose it", async () => {
  const { keys, clients, oauth } = client();
  const scopes = ["scheduler.all.read"] as const;
  const { key, keyId } = await keys.create({ name: "reader", scopes: [...scopes] });
  expect((await keys.list()).map((each) => each.keyId)).toContain(keyId);
  const reader = client({ key });
  expect(await reader.account()).toMatchObject({ accountId: "acc_default" });
  await expect(reader.targets.pause("t")).rejects.toMatchObject({ code: "E-DI-2002", status: 403 });
  await keys.revoke(keyId);
  await expect(reader.account()).rejects.toMatchObject({ code: "E-DI-2001", status: 401 });

  const { clientId, clientSecret } = await clients.create({ name: "c", scopes: [...scopes] });
  expect((await clients.list()).map((each) => each.clientId)).toContain(clientId);
  expect(await clients.get(clientId)).toMatchObject({ name: "c" });
  expect(await clients.get("cli_none")).toBeNull();
  const asClient = client({ clientId, clientSecret });
  expect(await asClient.usage()).toHaveProperty("used");
  const { access_token: token } = await oauth.token({ clientId, clientSecret });
  expect(await client({ key: token }).usage()).toHaveProperty("used");
  await oauth.revoke({ clientId, clientSecret, token });
  await expect(client({ key: token }).usage()).rejects.toMatchObject({ status: 401 });
  const renewed = await clients.rotateSecret(clientId, { overlapMs: 0 });
  expect(renewed.clientSecret).not.toBe(clientSecret);
  const late = client({ clientId, clientSecret });
  await expect(late.usage()).rejects.toMatchObject({ code: "invalid_client" });
  await clients.remove(clientId);
  await expect(asClient.usage()).rejects.toMatchObject({ code: "invalid_client" });
  expect((await oauth.metadata()).token_endpoint).toContain("/oauth/token");
  expect((await oauth.keySet()).keys).not.toEqual([]);
});

test("the operator manages accounts", async () => {
  const { accounts, signingKeys } = operator();
  const { key } = await accounts.create({ accountId: "blue", monthlyMessageLimit: 1 });
  const { targets, messages } = client({ key });
  await targets.create({ targetId: "t", url: service.receiver.url });
  await messages.schedule({ targetId: "t", at: farAway, payload: "" });
  const second = messages.schedule({ targetId: "t", at: farAway, payload: "" });
  await expect(second).rejects.toMatchObject({ code: "E-DI-5005" });
  expect(await accounts.get("blue")).toMatchObject({ usage: { used: 1 } });
  expect(await accounts.get("none")).toBeNull();
  expect(await accounts.update("blue", { name: "Blue" })).toMatchObject({ name: "Blue" });
  const ids = (await accounts.list().all()).map(({ accountId }) => accountId);
  expect(ids).toContain("blue");
  const made = await accounts.createKey("blue", { name: "k", scopes: ["scheduler.all.read"] });
  expect(await client({ key: made.key }).account()).toMatchObject({ accountId: "blue" });
  const actions = (await accounts.auditLog("blue").all()).map(({ action }) => action);
  expect(actions).toContain("target.created");
  expect((await client({ key }).auditLog().all())[0]).toHaveProperty("entryId");
  expect((await operator().operatorAuditLog({ limit: 5 }).page()).items).toHaveLength(5);
  expect(await accounts.suspend("blue")).toMatchObject({ state: "SUSPENDED" });
  await expect(client({ key }).account()).rejects.toMatchObject({ code: "E-DI-4003" });
  await accounts.resume("blue");
  await accounts.suspend("blue");
  await accounts.remove("blue");
  expect(await signingKeys.list()).not.toEqual([]);
  expect(await signingKeys.rotate()).not.toEqual([]);
});

test("the server tells how it is", async () => {
  const postdate = new Postdate({ url: service.server.url });
  expect(await postdate.health()).toMatchObject({ status: "ok" });
  await expect.poll(() => postdate.ready(), patiently).toEqual({ ready: true, reasons: [] });
  expect(await postdate.metrics()).toContain("# HELP");
  expect(await client().nodes()).toHaveLength(1);
});
