import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import { clusterHistory } from "../faults/support/cluster-history.ts";
import { startWriters } from "../faults/support/writers.ts";
import { expectKept, isEnough } from "../history/expect-kept.ts";
import type { Fault } from "../history/faults.ts";
import type { ClockStep, History } from "../history/history.ts";
import { judge } from "../history/judge.ts";
import { startCluster } from "../support/cluster.ts";
import { watchMachine } from "../support/machine-watch.ts";
import { answerUnsteadily, busyRun, realBounds } from "../support/real-run.ts";
import { envWith } from "../support/seeded-bug.ts";
import type { SeededBug } from "../support/seeded-bug.ts";

const makeDatabase = preparedDatabases();
const minute = 60_000;
const leaseMs = 3_000;
const nodeCount = 3;
const writerCount = 8;
/** Time for each node to renew its lease more than once. */
const betweenMs = 2_000;
const enough = { ...busyRun, unknowns: 0, takeovers: 0 };
/** Forth while attempts are under way, back, and to the latest time of all, so that all is due in the end. */
const steps = [5 * minute, 5 * minute, -12 * minute, 14 * minute];

/** A database of which a test sets the clock. */
async function clockedDatabase() {
  const { url } = await makeDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("CREATE TABLE test_clock (ahead_ms bigint NOT NULL)");
  await client.query("INSERT INTO test_clock VALUES (0)");
  await client.query(`CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
      + (SELECT ahead_ms FROM test_clock) $$`);
  return {
    url,
    step: (byMs: number) => client.query("UPDATE test_clock SET ahead_ms = ahead_ms + $1", [byMs]),
  };
}

/** Callers write, targets fail, retries wait, and the clock of the database is set by minutes. Nothing else is wrong. */
async function run(env: Readonly<Record<string, string>> = {}) {
  const database = await clockedDatabase();
  await using cluster = await startCluster(database.url, nodeCount, {
    nodeLease: `${leaseMs}ms`,
    env,
  });
  const { nodes, receiver } = cluster;
  receiver.answerWith(answerUnsteadily(1_000));
  const memberships = async () => {
    const { items } = (await nodes[0]!.api("GET", "/v1/nodes")).body;
    return items.map(({ nodeId, joinTime }: { nodeId: string; joinTime: string }) => [
      nodeId,
      joinTime,
    ]);
  };
  const before = await memberships();
  let turn = 0;
  const writing = startWriters(writerCount, () => nodes[turn++ % nodes.length]!.api);
  const faults: Fault[] = [];
  using _watch = watchMachine(faults);
  const clockSteps: ClockStep[] = [];
  for (const byMs of steps) {
    await sleep(betweenMs);
    await database.step(byMs);
    clockSteps.push({ at: Date.now(), byMs });
  }
  await sleep(betweenMs);
  while (!isEnough(writing.asked, enough)) await sleep(50);
  await writing.stop();
  const aheadMs = Math.max(...steps.map((_, index) => Math.abs(sumOf(steps.slice(0, index + 1)))));
  const history: History = await clusterHistory({
    ...{ api: nodes[0]!.api, receiver, asked: writing.asked, faults, expects: enough },
    bounds: { leaseMs, clockUncertaintyMs: realBounds.clockUncertaintyMs + aheadMs },
  });
  return { history: { ...history, clockSteps }, joined: { before, after: await memberships() } };
}

const sumOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0);

test("the clock of the database is set back and forth by minutes, and every promise holds", async () => {
  const { history, joined } = await run();
  expectKept(history);
  // A membership that had ended would have begun again. A machine that stands still may end one.
  if (history.faults.length === 0) expect(joined.after).toEqual(joined.before);
}, 120_000);

test("it is noticed that leases end by the clock of the database", async () => {
  const bug: SeededBug = {
    file: "src/storage/postgres/queries/nodes.ts",
    from: `USING unnest($1::bigint[], $2::text[]) AS seen(epoch, version)
          WHERE n.epoch = seen.epoch AND \${versionOf("n")} = seen.version`,
    to: "WHERE n.lease_until <= now_ms() AND $1::bigint[] IS NOT NULL AND $2::text[] IS NOT NULL",
  };
  const { history, joined } = await run(envWith(bug));
  expect(joined.after).not.toEqual(joined.before);
  const { violations } = judge(history);
  expect(violations.map(({ promise }) => promise)).toContainEqual(expect.stringMatching(/^G[56]$/));
}, 120_000);
