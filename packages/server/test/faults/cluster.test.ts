import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { testDatabases } from "../../src/storage/postgres/testing/test-databases.ts";
import { startCluster } from "../support/cluster.ts";
import { expectKept } from "../support/expect-history.ts";
import { finalStates, startWriters } from "../support/writers.ts";

const makeDatabase = testDatabases();

test("three nodes on one database: each killed and restarted in turn, one stopped for 30 s", async () => {
  await using cluster = await startCluster((await makeDatabase()).url, 3, "10s");
  const alive = [...cluster.nodes];
  let turn = 0;
  const writing = startWriters(16, () => alive[turn++ % alive.length]!.api);
  const rounds = 3;
  for (let round = 0; round < rounds; round++) {
    await sleep(4_000);
    const victim = alive.shift()!;
    await victim.server.kill();
    alive.push(await cluster.addNode());
  }
  const sleeper = alive[0]!;
  sleeper.server.process.kill("SIGSTOP");
  await sleep(30_000);
  sleeper.server.process.kill("SIGCONT");
  await sleep(5_000);
  await writing.stop();
  const final = await finalStates(alive[1]!.api, writing.events);
  const receipts = [...cluster.receiver.receipts];
  expectKept({ events: writing.events, receipts, final, kills: rounds + 1 });
}, 300_000);
