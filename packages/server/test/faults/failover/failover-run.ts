import pg from "pg";
import type { Fault } from "../../history/faults.ts";
import type { History } from "../../history/history.ts";
import { clusterHistory } from "../support/cluster-history.ts";
import { startCluster } from "../../support/cluster.ts";
import { listenToCluster } from "../../support/listeners/listen-to-cluster.ts";
import type { ClusterListeners } from "../../support/listeners/listen-to-cluster.ts";
import { answerUnsteadily } from "../../support/real-run.ts";
import { startWriters } from "../support/writers.ts";
import { watchCalls } from "./watched-calls.ts";
import type { Call, WatchedCalls } from "./watched-calls.ts";

export interface FailoverRun {
  readonly history: History;
  readonly calls: readonly Call[];
  /** How many messages the database has at the end. */
  readonly kept: number;
  /** How many nodes are still the processes that were started. */
  readonly unbroken: number;
}

export const nodeCount = 3;
const writerCount = 12;

/** This many acknowledgements prove that the service works. */
export const enough = 150;

/**
 * Runs three nodes on the database and writers that use all of them, while `disturb` causes the fault. Calm
 * phases before and after it are long enough for many acknowledgements.
 */
export async function runUnderLoad(
  databaseUrl: string,
  disturb: (watched: WatchedCalls, listening: ClusterListeners) => Promise<void>,
): Promise<FailoverRun> {
  await using cluster = await startCluster(databaseUrl, nodeCount, { nodeLease: "10s" });
  await using listening = await listenToCluster(databaseUrl, () => cluster.nodes);
  cluster.receiver.answerWith(answerUnsteadily(60));
  const watched = watchCalls();
  const apis = cluster.nodes.map(({ api }) => watched.watch(api));
  let turn = 0;
  // A commit on the primary alone can be read there, but is promised to no caller.
  const writing = startWriters(writerCount, () => apis[turn++ % apis.length]!, { reads: false });
  const faults: Fault[] = [];
  try {
    await watched.whenAcknowledged(enough, 0);
    const at = Date.now();
    await disturb(watched, listening);
    faults.push({ kind: "store", node: null, at, until: Date.now(), commit: "either" });
    await watched.whenAcknowledged(enough, Date.now());
  } catch (error) {
    // Each writer repeats its call until it gets an answer, and might never stop.
    watched.giveUp();
    for (const { server } of cluster.nodes) {
      process.stdout.write(`${server.url}:\n${server.output().slice(-2_000)}\n`);
    }
    throw error;
  }
  await writing.stop();
  const { api } = cluster.nodes[0]!;
  return {
    history: await clusterHistory({
      ...{ api, receiver: cluster.receiver, listening, asked: writing.asked, faults },
      // No node dies, because a short loss of the database costs no lease.
      expects: { takeovers: 0 },
    }),
    calls: watched.calls,
    kept: await countMessages(databaseUrl),
    unbroken: cluster.nodes.filter(({ server: { process } }) => process.exitCode === null).length,
  };
}

async function countMessages(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ count: number }>("SELECT count(*)::int FROM messages");
  await client.end();
  return rows[0]!.count;
}
