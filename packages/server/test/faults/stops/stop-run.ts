import { setTimeout as sleep } from "node:timers/promises";
import type { Stop } from "../../history/faults.ts";
import type { History } from "../../history/history.ts";
import { clusterHistory } from "../support/cluster-history.ts";
import type { Cluster, ClusterNode } from "../../support/cluster.ts";
import { answerUnsteadily } from "../../support/real-run.ts";
import type { Answer } from "../../support/receiver.ts";
import { startWriters } from "../support/writers.ts";

export interface StopRunOptions {
  readonly writers: number;
  readonly stops: number;
  /** How long the service runs undisturbed before the next stop. */
  readonly calmMs: number;
  /** The arguments of every server. */
  readonly args: readonly string[];
}

export interface StopRun {
  readonly history: History;
  readonly exits: readonly Exit[];
}

export interface Exit {
  readonly code: number | null;
  readonly tookMs: number;
  /** The last output of the server. */
  readonly output: string;
}

/** Shorter than a stop with all that comes before it, and longer than its drain. */
const timeoutMs = 2_000;
const hangingShare = 0.05;

/**
 * Writers call without a pause while servers are stopped one at a time, and each is followed by a new one.
 * Writers keep calling a stopping server until its successor is there. Some requests are never answered, so
 * that a stop meets attempts that outlast it.
 */
export async function stopRun(
  cluster: Cluster,
  { writers, stops, calmMs, args }: StopRunOptions,
): Promise<StopRun> {
  cluster.receiver.answerWith(answerOrHang(60));
  await cluster.nodes[0]!.api("PATCH", "/v1/targets/t", { body: { timeoutMs } });
  const current: ClusterNode[] = [...cluster.nodes];
  let turn = 0;
  const writing = startWriters(writers, () => current[turn++ % current.length]!.api);
  const faults: Stop[] = [];
  const exits: Exit[] = [];
  for (let stop = 0; stop < stops; stop++) {
    await sleep(calmMs * (0.5 + Math.random()));
    const place = stop % current.length;
    const { server } = current[place]!;
    const at = Date.now();
    const code = await server.stop();
    const until = Date.now();
    exits.push({ code, tookMs: until - at, output: server.output().slice(-1_000) });
    faults.push({ kind: "stop", node: server.url, at, until });
    current[place] = await cluster.addNode(args);
  }
  await sleep(calmMs);
  await writing.stop();
  const { api } = current[0]!;
  return {
    exits,
    history: await clusterHistory({
      ...{ api, receiver: cluster.receiver, asked: writing.asked, faults },
      expects: { takeovers: 0 },
    }),
  };
}

function answerOrHang(slowMs: number): Answer {
  const answer = answerUnsteadily(slowMs);
  return (receipt, response) => {
    if (Math.random() >= hangingShare) answer(receipt, response);
  };
}
