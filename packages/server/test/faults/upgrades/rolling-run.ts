import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../../history/faults.ts";
import type { History } from "../../history/history.ts";
import { clusterHistory } from "../support/cluster-history.ts";
import type { Cluster, ClusterNode } from "../../support/cluster.ts";
import { answerUnsteadily } from "../../support/real-run.ts";
import { startWriters } from "../support/writers.ts";

export interface RollingRun {
  /** Stops the node in this place as an operator does, and puts one of this version there. */
  replace(place: number): Promise<void>;
  /** Kills the node in this place, and puts one of this version there. */
  killAndReplace(place: number): Promise<void>;
  /** Writers call all nodes meanwhile. */
  goOn(ms: number): Promise<void>;
  readonly current: readonly ClusterNode[];
  end(): Promise<History>;
}

/** Eight writers call the nodes of a cluster in turn while an operator replaces one after the other. */
export function startRollingRun(cluster: Cluster): RollingRun {
  cluster.receiver.answerWith(answerUnsteadily(100));
  const current: ClusterNode[] = [...cluster.nodes];
  let turn = 0;
  const writing = startWriters(8, () => current[turn++ % current.length]!.api);
  const faults: Fault[] = [];
  return {
    current,
    async replace(place) {
      const { server } = current[place]!;
      const at = Date.now();
      const code = await server.stop();
      if (code !== 0) throw new Error(`the stop ended with ${code}:\n${server.output()}`);
      faults.push({ kind: "stop", node: server.url, at, until: Date.now() });
      current[place] = await cluster.addNode();
    },
    async killAndReplace(place) {
      const { server } = current[place]!;
      faults.push({ kind: "crash", node: server.url, at: Date.now(), backAt: null });
      await server.kill();
      current[place] = await cluster.addNode();
    },
    goOn: (ms) => sleep(ms),
    async end() {
      await writing.stop();
      const { api } = current[0]!;
      const { asked } = writing;
      const { receiver } = cluster;
      const expects = { unknowns: 0, takeovers: 0 };
      return clusterHistory({ api, receiver, asked, faults, expects });
    },
  };
}
