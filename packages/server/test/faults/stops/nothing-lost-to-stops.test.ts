import { expect, test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { expectKept } from "../../history/expect-kept.ts";
import { isSuccess } from "../../history/message-log.ts";
import { startCluster } from "../../support/cluster.ts";
import { startClusterOfOne } from "../../support/cluster-of-one.ts";
import { stopRun } from "./stop-run.ts";
import type { StopRun } from "./stop-run.ts";

const makeDatabase = preparedDatabases();
const drainMs = 500;
const args = ["--drain-timeout", `${drainMs}ms`, "--log-level", "warn"];
/** The drain, two seconds for slow callers, and one second for a busy machine. */
const longestStopMs = drainMs + 2_000 + 1_000;

test("repeated SIGTERM under eight writers: each stop is in time, and nothing is lost or sent twice", async () => {
  await using cluster = await startClusterOfOne(args);
  expectCleanStops(await stopRun(cluster, { writers: 8, stops: 8, calmMs: 700, args }));
});

test("the same with three nodes on PostgreSQL, restarted one after the other", async () => {
  const database = await makeDatabase();
  await using cluster = await startCluster(database.url, 3, { nodeLease: "10s", args });
  expectCleanStops(await stopRun(cluster, { writers: 8, stops: 6, calmMs: 700, args }));
});

function expectCleanStops({ exits, history }: StopRun): void {
  for (const { code, tookMs, output } of exits) {
    expect(code, output).toBe(0);
    expect(tookMs).toBeLessThanOrEqual(longestStopMs);
  }
  const { duplicates } = expectKept(history);
  expect(duplicates).toBe(0);
  const taken = history.receipts.filter(({ status }) => isSuccess(status));
  expect(new Set(taken.map(({ messageId }) => messageId)).size).toBe(taken.length);
  // Stops must have interrupted attempts. Otherwise the run would not show that those are on record.
  const attempts = [...history.final.messages.values()].flatMap((kept) => kept?.attempts ?? []);
  const interrupted = attempts.filter(({ outcome }) => outcome === "INTERRUPTED");
  expect(interrupted.length).toBeGreaterThanOrEqual(exits.length / 3);
}
