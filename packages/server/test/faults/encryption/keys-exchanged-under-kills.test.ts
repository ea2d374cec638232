import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { startClusterOfOne } from "../../support/cluster-of-one.ts";
import { startCluster } from "../../support/cluster.ts";
import type { Cluster, ClusterNode } from "../../support/cluster.ts";
import {
  encryptionOf,
  makeSealedThings,
  rotateEncryptionKey,
} from "../../support/sealed-things.ts";
import { operatorKey } from "../../support/server-process.ts";

const makeDatabase = preparedDatabases();
const [oldKey, newKey] = ["11".repeat(32), "22".repeat(32)] as const;
const operated = { POSTDATE_OPERATOR_KEY: operatorKey };
const sealsOld = {
  ...operated,
  POSTDATE_ENCRYPTION_KEY: oldKey,
  POSTDATE_ENCRYPTION_OTHER_KEYS: newKey,
};
const sealsNew = {
  ...operated,
  POSTDATE_ENCRYPTION_KEY: newKey,
  POSTDATE_ENCRYPTION_OTHER_KEYS: oldKey,
};
const onlyNew = {
  ...operated,
  POSTDATE_ENCRYPTION_KEY: newKey,
  POSTDATE_ENCRYPTION_OTHER_KEYS: "",
};

/** Long enough for a lease to end, for the next look, and for a machine that is busy. */
const patience = { timeout: 120_000, interval: 20 };
/** A kill comes at any moment within some steps. */
const longestDelayMs = 300;
/** Each kill costs a start and, on a shared store, a lease. */
const slowMs = 600_000;
const size = { targets: 20, messages: 3_000 };

const lastOf = (cluster: Cluster): ClusterNode => cluster.nodes.at(-1)!;

/** While a node is killed again and again, some values are sealed with one key and some with the other. */
async function expectExchanged(
  cluster: Cluster,
  kills: number,
  replace: () => Promise<ClusterNode>,
): Promise<void> {
  const { rotation } = await rotateEncryptionKey(lastOf(cluster).api);
  expect(rotation).toMatchObject({ state: "RUNNING" });
  let seen = 0;
  for (let kill = 1; kill <= kills; kill++) {
    await sleep(longestDelayMs * Math.random());
    const node = await replace();
    const now = (await encryptionOf(node.api)).rotation!;
    expect(now.rewritten).toBeGreaterThanOrEqual(seen);
    seen = now.rewritten;
  }
  await vi.waitFor(async () => {
    expect((await encryptionOf(lastOf(cluster).api)).rotation).toMatchObject({ state: "DONE" });
  }, patience);
  const done = await vi.waitUntil(async () => {
    const found = await encryptionOf(lastOf(cluster).api);
    return found.exact && found.keys.length === 1 ? found : undefined;
  }, patience);
  expect(done.keys).toEqual([{ keyId: done.keyId, values: expect.any(Number), inUse: true }]);
  // Secrets and settings of targets, an endpoint's, the schedule, the key that signs tokens, the messages.
  expect(done.keys[0]!.values).toBe(2 * (size.targets + 1) + 2 + 1 + 1 + size.messages + 1);
}

test(
  "the embedded store: the key is exchanged under six kills, and everything opens with the new one",
  async () => {
    const env = { ...sealsOld, POSTDATE_ENCRYPTION_OTHER_KEYS: "" };
    await using cluster = await startClusterOfOne([], env);
    const { receiver } = cluster;
    const things = await makeSealedThings({ api: lastOf(cluster).api, receiver, ...size });
    const replaceBy = async (next: Readonly<Record<string, string>>): Promise<ClusterNode> => {
      await lastOf(cluster).server.kill();
      return cluster.addNode([], next);
    };
    await replaceBy(sealsNew);
    await expectExchanged(cluster, 6, () => replaceBy(sealsNew));
    const { api } = await replaceBy(onlyNew);
    await things.check(api);
  },
  slowMs,
);

test(
  "two nodes on one database: the key is exchanged node by node and under three kills",
  async () => {
    const { url } = await makeDatabase();
    const env = { ...sealsOld, POSTDATE_ENCRYPTION_OTHER_KEYS: "" };
    await using cluster = await startCluster(url, 2, { env });
    const { receiver } = cluster;
    const things = await makeSealedThings({ api: lastOf(cluster).api, receiver, ...size });
    const alive = [...cluster.nodes];
    const restartEach = async (next: Readonly<Record<string, string>>): Promise<void> => {
      for (const node of alive.splice(0)) {
        await node.server.stop();
        alive.push(await cluster.addNode([], next));
      }
    };
    // Too early: the other node could not read what this one seals.
    await expect(cluster.addNode([], sealsNew)).rejects.toThrow("could not read it");
    await restartEach(sealsOld);
    await restartEach(sealsNew);
    await expectExchanged(cluster, 3, async () => {
      const victim = alive.splice(Math.floor(Math.random() * alive.length), 1)[0]!;
      await victim.server.kill();
      const node = await cluster.addNode([], sealsNew);
      alive.push(node);
      return node;
    });
    await restartEach(onlyNew);
    await things.check(alive[0]!.api);
  },
  slowMs,
);
