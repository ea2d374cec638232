import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import { expectKept } from "../history/expect-kept.ts";
import type { Fault } from "../history/faults.ts";
import { startCluster } from "../support/cluster.ts";
import { targetTerms } from "../support/final-look.ts";
import { listenToCluster } from "../support/listeners/listen-to-cluster.ts";
import { answerUnsteadily, busyRun, realBounds } from "../support/real-run.ts";
import { seenReceipts } from "../support/seen-receipts.ts";
import { startWriters } from "./support/writers.ts";

const makeDatabase = preparedDatabases();

test("three nodes on one database: each is killed and restarted, and one stands still for 30 s", async () => {
  const { url } = await makeDatabase();
  await using cluster = await startCluster(url, 3, { nodeLease: "10s" });
  cluster.receiver.answerWith(answerUnsteadily(200));
  const alive = [...cluster.nodes];
  await using listening = await listenToCluster(url, () => alive);
  let turn = 0;
  const writing = startWriters(16, () => alive[turn++ % alive.length]!.api);
  const faults: Fault[] = [];
  for (let round = 0; round < 3; round++) {
    await sleep(4_000);
    const victim = alive.shift()!;
    faults.push({ kind: "crash", node: victim.server.url, at: Date.now(), backAt: null });
    await victim.server.kill();
    alive.push(await cluster.addNode());
  }
  const sleeper = alive[0]!;
  const at = Date.now();
  sleeper.server.process.kill("SIGSTOP");
  await sleep(30_000);
  sleeper.server.process.kill("SIGCONT");
  faults.push({ kind: "pause", node: sleeper.server.url, at, until: Date.now() });
  await sleep(5_000);
  await writing.stop();
  const { api } = alive[1]!;
  expectKept({
    asked: writing.asked,
    ...(await listening.finalLook(api, writing.asked)),
    receipts: seenReceipts(cluster.receiver.receipts),
    faults,
    targets: await targetTerms(api),
    bounds: realBounds,
    expects: busyRun,
  });
}, 300_000);
