import { expect, test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import type { Api } from "../support/api.ts";
import { inMs } from "../support/api.ts";
import { startCluster } from "../support/cluster.ts";
import type { Receipt } from "../support/receiver.ts";
import { addTarget, services } from "../support/service.ts";
import { verifyWebhook } from "../support/verify-webhook.ts";
import { messagesIn, openReceiver, toldIn } from "./support/told-events.ts";

const makeDatabase = preparedDatabases();
const start = services();

/** Answers with the secret. */
async function addWebhook(api: Api, body: Readonly<Record<string, unknown>>): Promise<string> {
  const {
    status,
    text,
    body: endpoint,
  } = await api("POST", "/v1/event-endpoints", {
    body: { kind: "webhook", types: ["message.*"], ...body },
  });
  if (status !== 201) throw new Error(`no endpoint: ${status} ${text}`);
  return endpoint.secret as string;
}

/** Schedules messages for later, one after the other. Each is an event. */
async function schedule(api: Api, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { status, text, body } = await api("POST", "/v1/messages", {
      body: { targetId: "t", deliveryTime: inMs(3_600_000), payload: "a secret payload" },
    });
    if (status !== 200) throw new Error(`not scheduled: ${status} ${text}`);
    ids.push(body.messageId as string);
  }
  return ids;
}

/** What a receiver keeps that drops what it has seen before. */
function withoutRepeats(receipts: readonly Receipt[]): (string | undefined)[] {
  const seen = new Set<string>();
  const fresh = receipts.filter((receipt) => {
    const [told] = toldIn(receipt);
    return seen.size < seen.add(told!.id).size;
  });
  return messagesIn(fresh);
}

test("another node goes on when the node is killed that was sending", async () => {
  await using cluster = await startCluster((await makeDatabase()).url, 1);
  const [first] = cluster.nodes;
  const receiver = await openReceiver();
  const secret = await addWebhook(first!.api, { url: receiver.url });
  const ids = await schedule(first!.api, 2);
  await receiver.received(2);
  const second = await cluster.addNode();
  receiver.answerWith(() => {});
  ids.push(...(await schedule(second.api, 3)));
  await receiver.received(3);
  await first!.server.kill();
  receiver.answerWith((_, response) => response.writeHead(204).end());
  await receiver.received(1, (receipt) => messagesIn([receipt])[0] === ids[4]);
  expect(withoutRepeats(receiver.receipts)).toEqual(ids);
  expect(messagesIn(receiver.receipts)).toEqual([...ids.slice(0, 3), ...ids.slice(2)]);
  expect(receiver.receipts[3]!.messageId).toBe(receiver.receipts[2]!.messageId);
  for (const receipt of receiver.receipts) verifyWebhook(secret, receipt);
});

test("a server goes on where it was when it is killed and started again", async () => {
  const service = await start();
  await addTarget(service);
  const receiver = await openReceiver();
  await addWebhook(service.api, { url: receiver.url });
  const ids = await schedule(service.api, 10);
  await receiver.received(3);
  await service.server.kill();
  const again = await service.restart();
  ids.push(...(await schedule(again.api, 2)));
  await receiver.received(1, (receipt) => messagesIn([receipt])[0] === ids[11]);
  expect(withoutRepeats(receiver.receipts)).toEqual(ids);
  // At most the request that was under way is made again.
  expect(receiver.receipts.length).toBeLessThanOrEqual(ids.length + 1);
});

test("webhooks that hang take no slot of a target, and a server stops although they do", async () => {
  const service = await start({ args: ["--drain-timeout", "1s"] });
  await addTarget(service, { maxConcurrency: 1 });
  const hanging = await openReceiver();
  hanging.answerWith(() => {});
  for (let count = 0; count < 10; count++) {
    await addWebhook(service.api, { url: hanging.url, endpointId: `e${count}` });
  }
  await schedule(service.api, 1);
  await hanging.received(10);
  for (let count = 0; count < 20; count++) {
    const { status } = await service.api("POST", "/v1/messages", {
      body: { targetId: "t", delayMs: 0, payload: "hello" },
    });
    expect(status).toBe(200);
  }
  await service.receiver.received(20);
  expect(hanging.receipts.map(({ endedAt }) => endedAt)).toEqual(Array(10).fill(null));
  expect(await service.server.stop()).toBe(0);
  expect(service.server.output()).not.toContain("a secret payload");
});

test("a caller pauses, tests, rotates, rewinds and reads how far a webhook is", async () => {
  const service = await start();
  const { api } = service;
  await addTarget(service);
  const receiver = await openReceiver();
  const first = await addWebhook(api, { url: receiver.url, endpointId: "e" });
  const path = "/v1/event-endpoints/e";
  const ids = await schedule(api, 1);
  await receiver.received(1);
  await expect
    .poll(async () => (await api("GET", path)).body.progress)
    .toMatchObject({ behind: 0, failures: 0, lastError: null });

  expect((await api("POST", `${path}/pause`)).status).toBe(200);
  ids.push(...(await schedule(api, 1)));
  const tested = await api("POST", `${path}/test`);
  expect(tested.body).toMatchObject({ endpointId: "e", attempt: { outcome: "DELIVERED" } });
  const [, testRequest] = await receiver.received(2);
  expect(toldIn(testRequest!)).toMatchObject([
    { id: tested.body.eventId, type: "postdate.endpoint.test.v1" },
  ]);
  verifyWebhook(first, testRequest!);
  expect((await api("GET", path)).body).toMatchObject({ paused: true, progress: { behind: 1 } });

  const rotated = await api("POST", `${path}/rotate-secret`, { body: { overlapMs: 60_000 } });
  expect((await api("POST", `${path}/resume`)).status).toBe(200);
  const [, , resumed] = await receiver.received(3);
  expect(messagesIn([resumed!])).toEqual([ids[1]]);
  verifyWebhook(first, resumed!);
  verifyWebhook(rotated.body.secret, resumed!);

  const rewound = await api("POST", `${path}/rewind`, { body: { to: inMs(-3_600_000) } });
  expect(rewound.status).toBe(200);
  expect(messagesIn((await receiver.received(5)).slice(3))).toEqual(ids);
  for (const { body } of receiver.receipts) expect(body.toString()).not.toContain("secret payload");
});
