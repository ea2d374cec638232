import { expect, test } from "vitest";
import type { Api } from "../support/api.ts";
import { commonService } from "../support/common-service.ts";
import { expectMessage, expectProblems, expectRefusal } from "../support/expectations.ts";
import { addTarget, services } from "../support/service.ts";
import { scheduleInParallel } from "../support/parallel-schedules.ts";
import { farAway } from "../support/shared-service.ts";

const service = commonService();
const startService = services();
const good = { targetId: "t", deliveryTime: farAway, payload: "hello" };
const limitReached = { code: "E-DI-5005" };

/** Calls of an account that has this limit and the target `t`. */
async function limitedTo(monthlyMessageLimit: number): Promise<Api> {
  const { key, ok } = await service.account({ monthlyMessageLimit });
  await ok("POST", "/v1/targets", { targetId: "t", url: service.receiver.url });
  return (method, path, options) => service.api(method, path, { key, ...options });
}

const schedule = (api: Api, body: unknown = good, key?: string) =>
  api("POST", "/v1/messages", {
    body,
    headers: key === undefined ? {} : { "idempotency-key": key },
  });

test("concurrent calls are accepted up to the limit and refused beyond it", async () => {
  const api = await limitedTo(5);
  const answers = await Promise.all(Array.from({ length: 12 }, () => schedule(api)));
  const accepted = answers.filter(({ status }) => status === 200);
  expect(accepted).toHaveLength(5);
  for (const { body } of accepted) {
    expectMessage(body, { targetId: "t", state: "SCHEDULED", nextDeliveryTime: farAway });
  }
  for (const answer of answers) {
    if (answer.status !== 200) expectRefusal(answer, 400, limitReached);
  }
  const list = await api("GET", "/v1/targets/t/scheduled-messages");
  expect(list.body.count).toBe(5);
});

test("an invalid request gets its own error even at the limit, and does not count", async () => {
  const api = await limitedTo(1);
  const wrong = { ...good, targetId: "nobody" };
  expectRefusal(await schedule(api, wrong), 400, { code: "E-DI-3001", field: "targetId" });
  expect((await schedule(api)).status).toBe(200);
  expectRefusal(await schedule(api, wrong), 400, { code: "E-DI-3001", field: "targetId" });
  expectRefusal(await schedule(api), 400, limitReached);
});

test("a batch is admitted item by item, and a repeat with its key returns the accepted items", async () => {
  const api = await limitedTo(3);
  const messages = [good, { ...good, targetId: "nobody" }, good, good, good, good];
  const scheduleBatch = () =>
    api("POST", "/v1/messages/batch", {
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
  const api = await limitedTo(1);
  const { body: message } = await schedule(api, good, "k");
  const change = (verb: string, body?: unknown) =>
    api("POST", `/v1/messages/${message.messageId}/${verb}`, body ? { body } : {});
  expect((await change("cancel")).status).toBe(200);
  expectRefusal(await schedule(api), 400, limitReached);
  expect((await change("reschedule", { deliveryTime: farAway })).status).toBe(200);
  expect((await schedule(api, good, "k")).body).toEqual(message);
});

test("exactly as many of a thousand concurrent messages as the limit allows are accepted", async () => {
  const api = await limitedTo(500);
  expect((await scheduleInParallel([api], 1_000)).size).toBe(500);
  expect((await api("GET", "/v1/usage")).body).toMatchObject({ used: 500, remaining: 0 });
});

test("an account keeps the limit it was created with", async () => {
  const first = await startService({ args: ["--monthly-message-limit", "1"] });
  await addTarget(first);
  expect((await schedule(first.api)).status).toBe(200);
  await first.server.stop();
  const again = await first.restart({ args: ["--monthly-message-limit", "100"] });
  expectRefusal(await schedule(again.api), 400, limitReached);
});
