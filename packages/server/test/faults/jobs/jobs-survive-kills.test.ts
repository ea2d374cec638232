import { describe, test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { startClusterOfOne } from "../../support/cluster-of-one.ts";
import { startCluster } from "../../support/cluster.ts";
import type { Cluster } from "../../support/cluster.ts";
import { expectBackfilledOnce } from "./killed-backfill.ts";
import { expectShiftedOnce } from "./killed-shift.ts";
import { expectStopped } from "./stopped-shift.ts";

const makeDatabase = preparedDatabases();

const clusters: readonly (readonly [string, () => Promise<Cluster>])[] = [
  ["two nodes on one database", async () => startCluster((await makeDatabase()).url, 2)],
  ["the embedded store", () => startClusterOfOne()],
];

describe.each(clusters)("%s", (_name, start) => {
  test("a shift under six kills: each message once", async () => {
    await using cluster = await start();
    await expectShiftedOnce(cluster, { messages: 20_000, ratePerSecond: 1_000, kills: 6 });
  });

  test("a backfill under six kills: each run once", async () => {
    await using cluster = await start();
    await expectBackfilledOnce(cluster, { runs: 10_000, ratePerSecond: 500, kills: 6 });
  });

  test("four stops while nodes are killed: nothing changes afterwards", async () => {
    await using cluster = await start();
    await expectStopped(cluster, { messages: 3_000, ratePerSecond: 100, rounds: 4 });
  });
});
