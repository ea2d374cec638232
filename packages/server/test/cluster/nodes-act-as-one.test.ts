import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import { inMs } from "../support/api.ts";
import type { Api } from "../support/api.ts";
import { startCluster } from "../support/cluster.ts";
import type { Cluster } from "../support/cluster.ts";

const makeDatabase = preparedDatabases();
async function schedule(api: Api, deliveryTime: string): Promise<string> {
  const { status, body } = await api("POST", "/v1/messages", {
    body: { targetId: "t", deliveryTime, payload: "hello" },
  });
  expect(status).toBe(200);
  return body.messageId as string;
}

describe("two nodes", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    // On a busy machine, attempts take long, and a short lease would end in the middle of one.
    const patient = { nodeLease: "15s", args: ["--cancel-wait", "60s"] };
    cluster = await startCluster((await makeDatabase()).url, 2, patient);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test("any node delivers what one node accepts, once and not early", async () => {
    const { nodes, receiver } = cluster;
    const dueAt = new Map<string, number>();
    for (let index = 0; index < 60; index++) {
      const due = Date.now() + 200 + index * 20;
      const { api } = nodes[index % 2]!;
      dueAt.set(await schedule(api, new Date(due).toISOString()), due);
    }
    const receipts = await receiver.received(60);
    expect(new Set(receipts.map(({ messageId }) => messageId)).size).toBe(60);
    for (const { messageId, at } of receipts) {
      expect(at).toBeGreaterThanOrEqual(dueAt.get(messageId)!);
    }
  });

  test("a cancel at one node waits for the attempt that another has in flight", async () => {
    const { nodes, receiver } = cluster;
    const held = Promise.withResolvers<() => void>();
    receiver.answerWith((_, response) => held.resolve(() => response.writeHead(500).end()));
    const messageId = await schedule(nodes[0]!.api, inMs(0));
    const fail = await held.promise;
    const cancelling = Promise.all(
      nodes.map(({ api }) => api("POST", `/v1/messages/${messageId}/cancel`)),
    );
    fail();
    const answers = await cancelling;
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.find(({ status }) => status === 400)?.body.errors[0].code).toBe("E-DI-5003");
    for (const { api } of nodes) {
      const { body } = await api("GET", `/v1/messages/${messageId}`);
      expect(body).toMatchObject({ state: "CANCELLED", deliveryFailureCount: 1 });
    }
  });

  test("a key that one node revokes is refused by another at once", async () => {
    const [one, two] = cluster.nodes;
    const { body: made } = await one!.api("POST", "/v1/keys", {
      body: { name: "short-lived", scopes: ["scheduler.all.read"] },
    });
    expect((await two!.api("GET", "/v1/keys", { key: made.key })).status).toBe(200);
    await one!.api("DELETE", `/v1/keys/${made.keyId}`);
    expect((await two!.api("GET", "/v1/keys", { key: made.key })).status).toBe(401);
  });

  // The last one here, because it ends a node.
  test("pause and resume at one node hold for the others", async () => {
    const { nodes, receiver } = cluster;
    const [one, two] = nodes;
    receiver.answerWith((_, response) => response.writeHead(204).end());
    const first = await schedule(two!.api, inMs(0));
    await receiver.received(1, (each) => each.messageId === first);
    const before = receiver.receipts.length;
    await one!.api("POST", "/v1/targets/t/pause");
    const held = await schedule(two!.api, inMs(0));
    await expect
      .poll(async () => (await two!.api("GET", `/v1/messages/${held}`)).body.state)
      .toBe("SCHEDULED");
    await one!.server.kill();
    expect(receiver.receipts).toHaveLength(before);
    await two!.api("POST", "/v1/targets/t/resume");
    const [receipt] = await receiver.received(1, (each) => each.messageId === held);
    expect(receipt?.attempt).toBe(1);
  });
});

test("a dead node's message is attempted again by another", async () => {
  await using cluster = await startCluster((await makeDatabase()).url, 1);
  const { nodes, receiver, addNode } = cluster;
  receiver.answerWith(() => {});
  const [doomed] = nodes;
  const messageId = await schedule(doomed!.api, inMs(0));
  await receiver.received(1);
  const { api } = await addNode();
  receiver.answerWith((_, response) => response.writeHead(204).end());
  await doomed!.server.kill();
  const receipts = await receiver.received(2);
  expect(receipts.map((receipt) => receipt.messageId)).toEqual([messageId, messageId]);
  await expect
    .poll(async () => (await api("GET", `/v1/messages/${messageId}`)).body.state)
    .toBe("DELIVERED");
}, 120_000);

test("the store refuses the result of a node that stood still for longer than its lease", async () => {
  await using cluster = await startCluster((await makeDatabase()).url, 1);
  const { nodes, receiver, addNode } = cluster;
  const held = Promise.withResolvers<() => void>();
  receiver.answerWith((_, response) => held.resolve(() => response.writeHead(204).end()));
  const [sleeper] = nodes;
  const messageId = await schedule(sleeper!.api, inMs(0));
  const answer = await held.promise;
  sleeper!.server.process.kill("SIGSTOP");
  receiver.answerWith((_, response) => response.writeHead(410).end());
  const { api } = await addNode([], { POSTDATE_NODE_LEASE: "15s" });
  await receiver.received(2);
  await expect
    .poll(async () => (await api("GET", `/v1/messages/${messageId}`)).body.state)
    .toBe("DEAD_LETTER");
  answer();
  sleeper!.server.process.kill("SIGCONT");
  await expect
    .poll(async () => (await sleeper!.api("GET", "/readyz", { key: null })).status)
    .toBe(200);
  // The node runs again and delivers, but decisions that other nodes made meanwhile stay.
  receiver.answerWith((_, response) => response.writeHead(204).end());
  const next = await schedule(sleeper!.api, inMs(0));
  await receiver.received(1, (receipt) => receipt.messageId === next);
  const { body } = await api("GET", `/v1/messages/${messageId}`);
  expect(body).toMatchObject({ state: "DEAD_LETTER", deliveryFailureCount: 1 });
}, 120_000);

test("nodes see each other, and each does the work of its role", async () => {
  await using cluster = await startCluster((await makeDatabase()).url, 1);
  const { nodes, receiver, addNode } = cluster;
  await nodes[0]!.server.stop();
  const { api } = await addNode(["--role", "api"]);
  const messageId = await schedule(api, inMs(0));
  const roles = async (): Promise<string[]> =>
    (await api("GET", "/v1/nodes")).body.items.map(({ role }: { role: string }) => role);
  expect(await roles()).toEqual(["api"]);
  expect(receiver.receipts).toEqual([]);
  const dispatch = await addNode(["--role", "dispatch"]);
  const [receipt] = await receiver.received(1);
  expect(receipt?.messageId).toBe(messageId);
  expect(await roles()).toEqual(["api", "dispatch"]);
  const elsewhere = await dispatch.api("GET", `/v1/messages/${messageId}`);
  expect(elsewhere.status).toBe(404);
  expect(elsewhere.body.errors[0].message).toMatch(/this node only delivers/);
  expect((await dispatch.api("GET", "/readyz")).status).toBe(200);
});
