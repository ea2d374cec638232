import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import type { Asked } from "../../history/history.ts";
import { startCluster } from "../../support/cluster.ts";
import type { Cluster } from "../../support/cluster.ts";
import { startClusterOfOne } from "../../support/cluster-of-one.ts";
import { crowdedMs, prepareCrowdingAccount } from "./crowding-account.ts";
import { at99, latenessAt } from "../support/lateness.ts";
import { loggedCalls } from "../../support/logged-calls.ts";
import { seenReceipts } from "../../support/seen-receipts.ts";
import { operatorKey } from "../../support/server-process.ts";
import { scheduleSteadily } from "../support/steady-caller.ts";

const makeDatabase = preparedDatabases();
const args = ["--log-level", "error"];
const env = { POSTDATE_OPERATOR_KEY: operatorKey };
const steadily = { targetId: "t", everyMs: 20, aheadMs: 400 };
const calmMs = 5_000;

test("fifty hanging targets of one account delay another account by at most 250 ms at p99", async () => {
  await using cluster = await startClusterOfOne(args, env);
  await expectUndelayed(cluster);
});

test("the same with two nodes on PostgreSQL", async () => {
  const database = await makeDatabase();
  await using _drop = { [Symbol.asyncDispose]: () => database.drop() };
  await using cluster = await startCluster(database.url, 2, { nodeLease: "10s", args, env });
  await expectUndelayed(cluster);
});

/** The lateness of `t` while it is alone is the cost of a busy machine without hanging targets. */
async function expectUndelayed(cluster: Cluster): Promise<void> {
  const before = await lateness(cluster, calmMs);
  const crowding = await prepareCrowdingAccount(cluster.nodes[0]!.api);
  await using hanging = crowding.hanging;
  const [beside] = await Promise.all([lateness(cluster, crowdedMs), crowding.letGo()]);
  expect(hanging.receipts.length).toBeGreaterThan(100);
  expect(beside).toBeLessThanOrEqual(before + 250);
}

/** The 99th percentile at `t`, which is served steadily for `forMs`. Infinity if a message never came. */
async function lateness({ nodes, receiver }: Cluster, forMs: number): Promise<number> {
  const asked: Asked[] = [];
  let turn = 0;
  const calls = loggedCalls(
    (...call) => nodes[turn++ % nodes.length]!.api(...call),
    "steady",
    asked,
  );
  const done = new AbortController();
  const steady = scheduleSteadily(calls, steadily, done.signal);
  await sleep(forMs);
  done.abort();
  await steady;
  // A message in time has come by then. One that has not counts as never.
  await sleep(steadily.aheadMs + 2_000);
  return at99(latenessAt("t", asked, seenReceipts(receiver.receipts)));
}
