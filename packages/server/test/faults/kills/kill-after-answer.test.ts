import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { expectKept } from "../../history/expect-kept.ts";
import type { Fault } from "../../history/faults.ts";
import { clusterHistory } from "../support/cluster-history.ts";
import { startCluster } from "../../support/cluster.ts";
import { listenToCluster } from "../../support/listeners/listen-to-cluster.ts";
import { killAfterAnswer, sentAgain } from "./kill-after-answer.ts";
import { killRun } from "./kill-run.ts";
import { watchMachine } from "../../support/machine-watch.ts";
import { answerUnsteadily } from "../../support/real-run.ts";
import type { Receipt, Receiver } from "../../support/receiver.ts";
import { startWriters } from "../support/writers.ts";

const makeDatabase = preparedDatabases();

test("a server that dies just after its target accepted a message sends it again, and nothing else", async () => {
  const answered: Receipt[] = [];
  let receiver: Receiver | undefined;
  const history = await killRun({
    writers: 8,
    kills: 8,
    lifeMs: 300,
    async end(run) {
      receiver = run.receiver;
      const { receipt, at } = await killAfterAnswer(receiver, run.answer, () => run.server);
      answered.push(receipt);
      return at;
    },
  });
  expectKept(history);
  // The other servers were killed after they had recorded the success.
  expect(sentAgain(answered, receiver!.receipts)).toBeGreaterThanOrEqual(3);
});

test("the same with the one of several nodes on PostgreSQL that delivers", async () => {
  const { url } = await makeDatabase();
  await using cluster = await startCluster(url, 1, { args: ["--role", "api"] });
  const usual = answerUnsteadily(60);
  cluster.receiver.answerWith(usual);
  const [asking] = cluster.nodes;
  let delivering = await cluster.addNode();
  await using listening = await listenToCluster(url, () => [asking!, delivering]);
  let turn = 0;
  const writing = startWriters(8, () => [asking!, delivering][turn++ % 2]!.api);
  const faults: Fault[] = [];
  using _watch = watchMachine(faults);
  const answered: Receipt[] = [];
  for (let kill = 0; kill < 3; kill++) {
    await sleep(300);
    const { receipt, at } = await killAfterAnswer(cluster.receiver, usual, () => delivering.server);
    answered.push(receipt);
    faults.push({ kind: "crash", node: delivering.server.url, at, backAt: null });
    delivering = await cluster.addNode();
  }
  await sleep(500);
  await writing.stop();
  const { api } = asking!;
  const { asked } = writing;
  const { receiver } = cluster;
  const bounds = { leaseMs: 3_000 };
  expectKept(await clusterHistory({ api, receiver, listening, asked, faults, bounds }));
  expect(sentAgain(answered, cluster.receiver.receipts)).toBeGreaterThanOrEqual(1);
});
