import { expect, test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { expectKept } from "../../history/expect-kept.ts";
import type { History } from "../../history/history.ts";
import { startCluster } from "../../support/cluster.ts";
import { startClusterOfOne } from "../../support/cluster-of-one.ts";
import { hostileAnswers } from "./hostile-answers.ts";
import { hostileRun, longTimeoutMs, maxAttempts, shortTimeoutMs } from "./hostile-targets-run.ts";
import type { HostileRun } from "./hostile-targets-run.ts";
import { at99, latenessAt } from "../support/lateness.ts";

const makeDatabase = preparedDatabases();
const args = ["--log-level", "error"];
/** Both stores need less than 300, including the code. */
const mostMiB = 400;

test("nine kinds of hostile target at once do not delay another, and their messages end as they should", async () => {
  await using cluster = await startClusterOfOne(args);
  expectUnharmed(await hostileRun(cluster));
});

test("the same with two nodes on PostgreSQL", async () => {
  const database = await makeDatabase();
  await using cluster = await startCluster(database.url, 2, { nodeLease: "10s", args });
  expectUnharmed(await hostileRun(cluster));
});

function expectUnharmed(run: HostileRun): void {
  const { history, peakMiB } = run;
  const { duplicates } = expectKept(history);
  expect(duplicates).toBe(0);
  expectInTime(run);
  expectOnRecord(history);
  for (const each of peakMiB) expect(each).toBeLessThan(mostMiB);
}

/** G8, as the target sees it: hostile targets delay it by no more than this. */
function expectInTime({ history: { asked, receipts }, start }: HostileRun): void {
  const late = latenessAt("t", asked, receipts);
  const before = late.filter(({ dueAt }) => dueAt < start);
  const beside = late.filter(({ dueAt }) => dueAt >= start);
  expect(at99(beside)).toBeLessThanOrEqual(at99(before) + 250);
}

function expectOnRecord({ asked, final }: History): void {
  for (const { targetId, outcome, status } of hostileAnswers) {
    const kept = [...final.messages.values()].filter((each) => each?.message.targetId === targetId);
    const schedules = asked.filter(
      (call) => call.verb === "batch item" && call.targetId === targetId,
    );
    expect(kept, targetId).toHaveLength(schedules.length);
    const isSuccess = outcome === "DELIVERED";
    for (const each of kept) {
      const { message, attempts } = each!;
      expect(message.state, targetId).toBe(isSuccess ? "DELIVERED" : "DEAD_LETTER");
      expect(
        attempts.map(({ outcome, statusCode }) => [outcome, statusCode]),
        targetId,
      ).toEqual(Array.from({ length: isSuccess ? 1 : maxAttempts }, () => [outcome, status]));
      const longestMs = outcome === "TIMEOUT" ? shortTimeoutMs + 1_000 : longTimeoutMs;
      for (const { startTime, endTime } of attempts) {
        expect(endTime - startTime, targetId).toBeLessThan(longestMs);
      }
    }
  }
}
