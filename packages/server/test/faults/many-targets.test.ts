import { expect, test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import type { Cluster } from "../support/cluster.ts";
import { startCluster } from "../support/cluster.ts";
import { startClusterOfOne } from "../support/cluster-of-one.ts";
import { peakMemoryMiB } from "./support/peak-memory.ts";

const makeDatabase = preparedDatabases();
const args = ["--log-level", "error"];
const count = 12_000;
const callers = 8;
const batchSize = 1_000;
const mostMiB = 500;

test("all of 12,000 targets that are due at one instant are served", async () => {
  await using cluster = await startClusterOfOne(args);
  await expectAllServed(cluster);
});

test("the same with two nodes on PostgreSQL", async () => {
  const database = await makeDatabase();
  await using _drop = { [Symbol.asyncDispose]: () => database.drop() };
  await using cluster = await startCluster(database.url, 2, { nodeLease: "10s", args });
  await expectAllServed(cluster);
});

async function expectAllServed({ nodes, receiver }: Cluster): Promise<void> {
  const { api } = nodes[0]!;
  const targetIds = Array.from({ length: count }, (_, index) => `target-${index}`);
  const left = targetIds.values();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (const targetId of left) {
        const body = { targetId, url: receiver.url };
        expect((await api("POST", "/v1/targets", { body })).status).toBe(200);
      }
    }),
  );
  const deliveryTime = new Date(Date.now() + 20_000).toISOString();
  for (let from = 0; from < count; from += batchSize) {
    const part = targetIds.slice(from, from + batchSize);
    const messages = part.map((targetId) => ({ targetId, deliveryTime, payload: "x" }));
    const { status } = await api("POST", "/v1/messages/batch", { body: { messages } });
    expect(status).toBe(200);
  }
  const receipts = await receiver.received(count);
  const served = new Set(receipts.map(({ headers }) => String(headers["postdate-target"])));
  expect(served.size).toBe(count);
  for (const { server } of nodes) expect(peakMemoryMiB(server)).toBeLessThan(mostMiB);
}
