import { test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import { expectBackfilledOnce } from "../faults/jobs/killed-backfill.ts";
import { expectShiftedOnce } from "../faults/jobs/killed-shift.ts";
import { expectStopped } from "../faults/jobs/stopped-shift.ts";
import { startClusterOfOne } from "../support/cluster-of-one.ts";
import { startCluster } from "../support/cluster.ts";

const makeDatabase = preparedDatabases();

test("a job goes on at another node when its node is killed, and after a stop nothing changes", async () => {
  await using cluster = await startCluster((await makeDatabase()).url, 2);
  await expectShiftedOnce(cluster, { messages: 2_000, ratePerSecond: 50, kills: 1 });
  await expectStopped(cluster, { messages: 1_000, ratePerSecond: 20, rounds: 1 });
});

test("a job goes on when its server is killed and started again", async () => {
  await using cluster = await startClusterOfOne();
  await expectShiftedOnce(cluster, { messages: 2_000, ratePerSecond: 50, kills: 2 });
  await expectStopped(cluster, { messages: 1_000, ratePerSecond: 20, rounds: 1 });
});

test("a backfill goes on at another node when its node is killed, and makes each run once", async () => {
  await using cluster = await startCluster((await makeDatabase()).url, 2);
  await expectBackfilledOnce(cluster, { runs: 1_000, ratePerSecond: 50, kills: 1 });
});

test("a backfill goes on when its server is killed and started again", async () => {
  await using cluster = await startClusterOfOne();
  await expectBackfilledOnce(cluster, { runs: 1_000, ratePerSecond: 50, kills: 2 });
});
