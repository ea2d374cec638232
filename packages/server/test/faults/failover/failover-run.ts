import { setTimeout as later } from "node:timers/promises";
import pg from "pg";
import { startCluster } from "../../support/cluster.ts";
import type { History } from "../../support/history.ts";
import { finalStates, startWriters } from "../../support/writers.ts";
import { watchCalls } from "./watched-calls.ts";
import type { Call, WatchedCalls } from "./watched-calls.ts";

export interface FailoverRun {
  readonly history: History;
  readonly calls: readonly Call[];
  /** How many messages the database has in the end. */
  readonly kept: number;
  /** How many of the nodes are still the processes that were started. */
  readonly unbroken: number;
}

export const nodeCount = 3;
const writerCount = 12;

/** So many acknowledgements count as proof that all is well. */
export const enough = 150;

/**
 * Three nodes on the database and writers that ask all of them in turn, while `disturb` does its worst.
 * Before and after it there is calm, long enough for many acknowledgements.
 */
export async function runUnderLoad(
  databaseUrl: string,
  faults: number,
  disturb: (watched: WatchedCalls) => Promise<void>,
): Promise<FailoverRun> {
  await using cluster = await startCluster(databaseUrl, nodeCount, "10s");
  // Some attempts fail and some take their time, so that retries and waiting calls meet the faults.
  cluster.receiver.answerWith((_, response) => {
    const chance = Math.random();
    if (chance < 0.15) response.writeHead(500).end();
    else if (chance < 0.3) void later(60).then(() => response.writeHead(204).end());
    else response.writeHead(204).end();
  });
  const watched = watchCalls();
  const apis = cluster.nodes.map(({ api }) => watched.watch(api));
  let turn = 0;
  const writing = startWriters(writerCount, () => apis[turn++ % apis.length]!);
  try {
    await watched.whenAcknowledged(enough, 0);
    await disturb(watched);
    await watched.whenAcknowledged(enough, Date.now());
  } catch (error) {
    // Each writer asks until it is told, and might ask forever.
    watched.giveUp();
    for (const { server } of cluster.nodes) {
      process.stdout.write(`${server.url}:\n${server.output().slice(-2_000)}\n`);
    }
    throw error;
  }
  await writing.stop();
  const final = await finalStates(cluster.nodes[0]!.api, writing.events);
  return {
    history: {
      events: writing.events,
      receipts: [...cluster.receiver.receipts],
      final,
      kills: faults,
    },
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
