import { expect, test } from "vitest";
import { expectMessage, expectProblems, expectRefusal } from "../support/expectations.ts";
import { addTarget, services } from "../support/service.ts";
import { scheduleInParallel } from "../support/parallel-schedules.ts";
import type { ServiceUnderTest } from "../support/service.ts";
import { farAway } from "../support/shared-service.ts";

const startService = services();
const good = { targetId: "t", deliveryTime: farAway, payload: "hello" };
const limitReached = { code: "E-DI-5005" };

async function startLimited(limit: number): Promise<ServiceUnderTest> {
  const service = await startService({ args: ["--monthly-message-limit", String(limit)] });
  await addTarget(service);
  return service;
}

const schedule = ({ api }: ServiceUnderTest, body: unknown = good, key?: string) =>
  api("POST", "/v1/messages", {
    body,
    headers: key === undefined ? {} : { "idempotency-key": key },
  });

test("concurrent calls are accepted up to the limit and refused beyond it", async () => {
  const service = await startLimited(5);
  const answers = await Promise.all(Array.from({ length: 12 }, () => schedule(service)));
  const accepted = answers.filter(({ status }) => status === 200);
  expect(accepted).toHaveLength(5);
  for (const { body } of accepted) {
    expectMessage(body, { targetId: "t", state: "SCHEDULED", nextDeliveryTime: farAway });
  }
  for (const answer of answers) {
    if (answer.status !== 200) expectRefusal(answer, 400, limitReached);
  }
  const list = await service.api("GET", "/v1/targets/t/scheduled-messages");
  expect(list.body.count).toBe(5);
});

test("an invalid request gets its own error even at the limit, and does not count", async () => {
  const service = await startLimited(1);
  const wrong = { ...good, targetId: "nobody" };
  expectRefusal(await schedule(service, wrong), 400, { code: "E-DI-3001", field: "targetId" });
  expect((await schedule(service)).status).toBe(200);
  expectRefusal(await schedule(service, wrong), 400, { code: "E-DI-3001", field: "targetId" });
  expectRefusal(await schedule(service), 400, limitReached);
});

test("a batch is admitted item by item, and a repeat with its key returns the accepted items", async () => {
  const service = await startLimited(3);
  const messages = [good, { ...good, targetId: "nobody" }, good, good, good, good];
  const scheduleBatch = () =>
    service.api("POST", "/v1/messages/batch", {
      body: { messages },
      headers: { "idempotency-key": "k" },
    });
  const first = await scheduleBatch();
  expect(first.status).toBe(200);
  const { results } = first.body;
  expect(results.map((result: object) => Object.keys(result)[0])).toEqual([
    "message",
    "errors",
    "message",
    "message",
    "errors",
    "errors",
  ]);
  expectProblems(results[1].errors, [{ code: "E-DI-3001", field: "targetId" }]);
  expectProblems(results[4].errors, [limitReached]);
  expectProblems(results[5].errors, [limitReached]);
  const again = await scheduleBatch();
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
});

test("a cancel gives nothing back, and reschedules and repeats do not count", async () => {
  const service = await startLimited(1);
  const { body: message } = await schedule(service, good, "k");
  const change = (verb: string, body?: unknown) =>
    service.api("POST", `/v1/messages/${message.messageId}/${verb}`, body ? { body } : {});
  expect((await change("cancel")).status).toBe(200);
  expectRefusal(await schedule(service), 400, limitReached);
  expect((await change("reschedule", { deliveryTime: farAway })).status).toBe(200);
  expect((await schedule(service, good, "k")).body).toEqual(message);
});

test("an account keeps the limit it was created with", async () => {
  const service = await startLimited(1);
  expect((await schedule(service)).status).toBe(200);
  await service.server.stop();
  const again = await service.restart({ args: ["--monthly-message-limit", "100"] });
  expectRefusal(await schedule(again), 400, limitReached);
});

test("exactly as many of a thousand concurrent messages as the limit allows are accepted", async () => {
  const service = await startLimited(500);
  expect((await scheduleInParallel([service.api], 1_000)).size).toBe(500);
  expect((await service.api("GET", "/v1/usage")).body).toMatchObject({ used: 500, remaining: 0 });
});
