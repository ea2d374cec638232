import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../database/open-database.ts";
import { countMessages } from "./count-messages.ts";
import { groupDeadLetters } from "./group-dead-letters.ts";

const account = "acc_one";
const scheduled = 0;
const deadLetter = 2;

/** A database with two targets, in which each look ends as soon as it can. */
function openScene() {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-slices-"));
  const { db, close } = openDatabase(dataDir);
  onTestFinished(() => {
    close();
    rmSync(dataDir, { recursive: true });
  });
  db.exec(`
    INSERT INTO accounts (account_key, account_id, creation_time, name) VALUES (1, '${account}', 0, '');
    INSERT INTO targets (target_key, account_key, target_id, kind, sealed_settings, sealed_secrets,
      retry_policy, max_concurrency, paused, creation_time, update_time, revision)
    VALUES (1, 1, 'a', '', '', '', '', 1, 0, 0, 0, 1), (2, 1, 'b', '', '', '', '', 1, 0, 0, 0, 1)`);
  let now = 0;
  let messages = 0;
  return {
    context: { db, clock: { now: () => 0, monotonic: () => (now += 1_000) } },
    /** Adds so many messages of a target, all at one time. */
    add(
      list: "next_delivery_time" | "dead_letter_time",
      targetKey: number,
      time: number,
      count: number,
    ): void {
      const state = list === "next_delivery_time" ? scheduled : deadLetter;
      db.exec(`
        WITH RECURSIVE numbers (number) AS (
          SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${count})
        INSERT INTO messages (message_key, message_id, account_key, target_key, state, version,
          scheduling_time, original_delivery_time, ${list}, delivery_failure_count, attempt_count,
          attempts_this_round, planning_time, payload)
        SELECT ${messages} + number, zeroblob(16), 1, ${targetKey}, ${state}, 1, 0, 0, ${time}, 0, 0, 0,
          0, '' FROM numbers`);
      messages += count;
    },
  };
}

test("a count goes on where it ended, also among very many messages at one time", () => {
  const { context, add } = openScene();
  add("next_delivery_time", 1, 99, 5);
  add("next_delivery_time", 1, 150, 30_000);
  add("next_delivery_time", 1, 160, 20_000);
  add("next_delivery_time", 1, 200, 45_001);
  add("next_delivery_time", 2, 299, 20_000);
  add("next_delivery_time", 2, 300, 7);
  const count = countMessages(context);
  const edges = [100, 200, 300];
  const sums = [0, 0];
  let calls = 0;
  for (let after: string | null | undefined; after !== null; calls++) {
    const request = { accountId: account, targetId: null, list: "scheduled", edges } as const;
    const slice = count({ ...request, after: after ?? null });
    for (const [place, found] of slice.counts.entries()) sums[place]! += found;
    after = slice.reached;
  }
  expect(sums).toEqual([50_000, 65_001]);
  expect(calls).toBeGreaterThan(6);
});

test("a look at dead letters goes on where it ended, and leaves the older ones of a target out", () => {
  const { context, add } = openScene();
  add("dead_letter_time", 1, 100, 150);
  add("dead_letter_time", 1, 200, 350);
  add("dead_letter_time", 2, 100, 101);
  const group = groupDeadLetters(context);
  const all = (mostOfOne: number) => {
    const counts: Record<string, number> = {};
    let exact = true;
    for (let after: string | null | undefined; after !== null;) {
      const request = { accountId: account, targetId: null, mostOfOne };
      const slice = group({ ...request, after: after ?? null });
      for (const { targetId, count, firstTime } of slice.groups) {
        const name = `${targetId} from ${firstTime}`;
        counts[name] = (counts[name] ?? 0) + count;
      }
      exact &&= slice.exact;
      after = slice.reached;
    }
    return { counts, exact, sum: Object.values(counts).reduce((sum, count) => sum + count) };
  };
  expect(all(5_000)).toMatchObject({ exact: true, sum: 601 });
  expect(all(500)).toMatchObject({ exact: true, sum: 601 });
  expect(all(300)).toEqual({
    exact: false,
    counts: { "a from 200": 300, "b from 100": 101 },
    sum: 401,
  });
});
