import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import { expectKept, isEnough } from "../history/expect-kept.ts";
import type { Fault } from "../history/faults.ts";
import { clusterHistory } from "./support/cluster-history.ts";
import { startCluster } from "../support/cluster.ts";
import type { ClusterNode } from "../support/cluster.ts";
import { linkTo } from "./support/cuttable-link.ts";
import type { LinkState } from "./support/cuttable-link.ts";
import { listenToCluster } from "../support/listeners/listen-to-cluster.ts";
import { watchMachine } from "../support/machine-watch.ts";
import { answerUnsteadily, busyRun } from "../support/real-run.ts";
import { startWriters } from "./support/writers.ts";

const makeDatabase = preparedDatabases();
const leaseMs = 3_000;
const patiently = { timeout: 60_000, interval: 50 };

/** Which nodes lose the database, how, and for how long: shorter than a lease, and longer. */
const cuts: readonly [nodes: readonly number[], state: LinkState, forMs: number][] = [
  [[0], "silent", 5_000],
  [[1], "resetting", 1_500],
  [[1], "refusing", 5_000],
  [[0], "silent", 1_200],
  [[0, 1], "refusing", 4_000],
];

test("nodes lose their database one by one and all at once, in every way", async () => {
  const { url } = await makeDatabase();
  await using first = await linkTo(url);
  await using second = await linkTo(url);
  const links = [first, second];
  await using cluster = await startCluster(first.url, 1, { nodeLease: `${leaseMs}ms` });
  await cluster.addNode([], { POSTDATE_DATABASE_URL: second.url });
  await using listening = await listenToCluster(url, () => cluster.nodes);
  cluster.receiver.answerWith(answerUnsteadily(1_500));
  let turn = 0;
  const writing = startWriters(16, () => cluster.nodes[turn++ % 2]!.api);
  const faults: Fault[] = [];
  using _watch = watchMachine(faults);
  for (const [nodes, state, forMs] of cuts) {
    await sleep(1_500);
    // Only a node that has a lease can lose it.
    for (const node of cluster.nodes) {
      await vi.waitFor(async () => expect(await leaseAgeMs(node)).toBeLessThan(1_000), patiently);
    }
    const at = Date.now();
    const before = nodes.map((node) => fences(cluster.nodes[node]!));
    for (const node of nodes) links[node]!.become(state);
    await sleep(forMs);
    // The nodes are cut off, so they must notice by themselves.
    for (const [index, node] of forMs > leaseMs ? nodes.entries() : []) {
      const fenced = () => expect(fences(cluster.nodes[node]!)).toBeGreaterThan(before[index]!);
      await vi.waitFor(fenced, patiently);
    }
    for (const node of nodes) links[node]!.become("open");
    for (const node of nodes) {
      const { url: name } = cluster.nodes[node]!.server;
      faults.push({ kind: "store", node: name, at, until: Date.now(), commit: "either" });
    }
  }
  await sleep(2_000);
  while (!isEnough(writing.asked, busyRun)) await sleep(50);
  await writing.stop();
  const { api } = cluster.nodes[0]!;
  const { asked } = writing;
  const { receiver } = cluster;
  const bounds = { leaseMs };
  expectKept(await clusterHistory({ api, receiver, listening, asked, faults, bounds }));
  for (const { broken } of links) expect(broken).toBeGreaterThan(0);
});

/** How often a node has stopped itself because its lease had run out. */
function fences({ server }: ClusterNode): number {
  return server.output().split("the lease has run out").length - 1;
}

/** Since the node asked for the lease that it has, or had last. */
async function leaseAgeMs({ api }: ClusterNode): Promise<number> {
  const { text } = await api("GET", "/metrics");
  return Number(/^postdate_lease_age_seconds (\S+)$/m.exec(text)?.[1]) * 1_000;
}
