import { expect, test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { inMs } from "../../support/api.ts";
import type { Api } from "../../support/api.ts";
import { startCluster } from "../../support/cluster.ts";
import { startReceiver } from "../../support/receiver.ts";
import type { Receiver } from "../../support/receiver.ts";
import { addTarget, services } from "../../support/service.ts";

const startService = services();
const makeDatabase = preparedDatabases();

test("a target that hangs with 100,000 due messages delays another by at most 250 ms at p99", async () => {
  const service = await startService({ args: ["--log-level", "error"] });
  await using hanging = await startHangingTarget([service.api]);
  await addTarget(service, { targetId: "t" });
  await expectOthersInTime([service.api], service.receiver);
  expect(hanging.receipts.length).toBeLessThan(1_000);
});

test("the same with two nodes on PostgreSQL", async () => {
  const database = await makeDatabase();
  await using _drop = { [Symbol.asyncDispose]: () => database.drop() };
  await using cluster = await startCluster(database.url, 2, {
    nodeLease: "10s",
    args: ["--log-level", "error"],
  });
  const apis = cluster.nodes.map(({ api }) => api);
  await using hanging = await startHangingTarget(apis);
  await expectOthersInTime(apis, cluster.receiver);
  expect(hanging.receipts.length).toBeLessThan(1_000);
});

/** The messages fell due one after the other, so each is a separate entry for a node that looks ahead. */
async function startHangingTarget(apis: readonly Api[]): Promise<Receiver> {
  const hanging = await startReceiver();
  hanging.answerWith(() => {});
  const made = await apis[0]!("POST", "/v1/targets", {
    body: { targetId: "hanging", url: hanging.url },
  });
  expect(made.status).toBe(200);
  for (let batch = 0; batch < 100; batch++) {
    const messages = Array.from({ length: 1_000 }, (_, index) => ({
      targetId: "hanging",
      deliveryTime: inMs(-batch * 1_000 - index),
      payload: "x".repeat(200),
    }));
    const { status } = await apis[batch % apis.length]!("POST", "/v1/messages/batch", {
      body: { messages },
    });
    expect(status).toBe(200);
  }
  await hanging.received(50);
  return hanging;
}

async function expectOthersInTime(apis: readonly Api[], receiver: Receiver): Promise<void> {
  const start = Date.now() + 1_000;
  const dueAt = new Map<string, number>();
  for (let index = 0; index < 500; index++) {
    const at = start + index * 10;
    const { status, body } = await apis[index % apis.length]!("POST", "/v1/messages", {
      body: { targetId: "t", deliveryTime: new Date(at).toISOString(), payload: "in time" },
    });
    expect(status).toBe(200);
    dueAt.set((body as { messageId: string }).messageId, at);
  }
  const receipts = await receiver.received(500);
  const late = receipts
    .map((receipt) => receipt.at - dueAt.get(receipt.messageId)!)
    .toSorted((a, b) => a - b);
  expect(late[0]).toBeGreaterThanOrEqual(0);
  expect(late[Math.floor(late.length * 0.99)]).toBeLessThanOrEqual(250);
}
