import { setTimeout as sleep } from "node:timers/promises";
import { isEnough } from "../../history/expect-kept.ts";
import type { Fault } from "../../history/faults.ts";
import type { History } from "../../history/history.ts";
import { clusterHistory } from "../support/cluster-history.ts";
import { startCluster } from "../../support/cluster.ts";
import { listenToCluster } from "../../support/listeners/listen-to-cluster.ts";
import { watchMachine } from "../../support/machine-watch.ts";
import { answerUnsteadily, busyRun } from "../../support/real-run.ts";
import { startWriters } from "../support/writers.ts";

export interface DeadNodesRunOptions {
  readonly leaseMs: number;
  readonly kills: number;
  /** How long all nodes run before the next one is killed. */
  readonly lifeMs: number;
  /** How long one of the nodes stands still after the kills. 0: none does. */
  readonly stillMs: number;
  /** Added to the environment of each node. */
  readonly env?: Readonly<Record<string, string>>;
}

const nodeCount = 3;
const writerCount = 16;

/** Writers call three nodes on one database without a pause, while one node after the other is killed and replaced. */
export async function deadNodesRun(
  databaseUrl: string,
  { leaseMs, kills, lifeMs, stillMs, env = {} }: DeadNodesRunOptions,
): Promise<History> {
  await using cluster = await startCluster(databaseUrl, nodeCount, {
    nodeLease: `${leaseMs}ms`,
    env,
  });
  cluster.receiver.answerWith(answerUnsteadily(200));
  const alive = [...cluster.nodes];
  await using listening = await listenToCluster(databaseUrl, () => alive);
  let turn = 0;
  const writing = startWriters(writerCount, () => alive[turn++ % alive.length]!.api);
  const faults: Fault[] = [];
  using _watch = watchMachine(faults);
  for (let kill = 0; kill < kills; kill++) {
    await sleep(lifeMs);
    const victim = alive.shift()!;
    faults.push({ kind: "crash", node: victim.server.url, at: Date.now(), backAt: null });
    await victim.server.kill();
    alive.push(await cluster.addNode());
  }
  if (stillMs > 0) {
    const sleeper = alive[0]!;
    const at = Date.now();
    sleeper.server.process.kill("SIGSTOP");
    await sleep(stillMs);
    sleeper.server.process.kill("SIGCONT");
    faults.push({ kind: "pause", node: sleeper.server.url, at, until: Date.now() });
  }
  await sleep(lifeMs);
  while (!isEnough(writing.asked, busyRun)) await sleep(50);
  await writing.stop();
  const { api } = alive[1]!;
  const { asked } = writing;
  const { receiver } = cluster;
  return await clusterHistory({ api, receiver, listening, asked, faults, bounds: { leaseMs } });
}
