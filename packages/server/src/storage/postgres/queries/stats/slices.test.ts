import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { account, makeTarget } from "../../../conformance/harness.ts";
import { testStores } from "../../testing/test-stores.ts";

const makeStores = testStores();

/** A store with the targets "a" and "b", and a way to fill them. */
async function openScene() {
  const { database, open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  for (const targetId of ["a", "b"]) await makeTarget(store, targetId);
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(() => client.end());
  return {
    store,
    /** Adds so many messages of a target, all at one time. */
    async add(
      column: "next_delivery_time" | "dead_letter_time",
      targetId: string,
      time: number,
      count: number,
    ): Promise<void> {
      await client.query(
        `INSERT INTO messages (message_id, account_id, target_key, state, version, scheduling_time,
           original_delivery_time, ${column}, delivery_failure_count, attempt_count,
           attempts_this_round, planning_time, payload)
         SELECT gen_random_uuid(), $1, target_key, 0, 1, 0, 0, $3, 0, 0, 0, 0, ''
         FROM targets, generate_series(1, $4::int) WHERE account_id = $1 AND target_id = $2`,
        [account, targetId, time, count],
      );
    },
  };
}

test("a count goes on where it ended, also among very many messages at one time", async () => {
  const { store, add } = await openScene();
  await add("next_delivery_time", "a", 150, 30_000);
  await add("next_delivery_time", "a", 200, 15_001);
  await add("next_delivery_time", "b", 299, 20_000);
  await add("next_delivery_time", "b", 300, 7);
  const edges = [100, 200, 300];
  const sums = [0, 0];
  let calls = 0;
  for (let after: string | null | undefined; after !== null; calls++) {
    const request = { accountId: account, targetId: null, list: "scheduled", edges } as const;
    const slice = await store.countMessages({ ...request, after: after ?? null });
    for (const [place, found] of slice.counts.entries()) sums[place]! += found;
    after = slice.reached;
  }
  expect(sums).toEqual([30_000, 35_001]);
  expect(calls).toBe(7);
});

test("a look at dead letters goes on where it ended, and leaves the older ones of a target out", async () => {
  const { store, add } = await openScene();
  await add("dead_letter_time", "a", 100, 500);
  await add("dead_letter_time", "a", 200, 2_100);
  await add("dead_letter_time", "b", 100, 1_001);
  const all = async (mostOfOne: number) => {
    const counts: Record<string, number> = {};
    let exact = true;
    for (let after: string | null | undefined; after !== null;) {
      const request = { accountId: account, targetId: null, mostOfOne };
      const slice = await store.groupDeadLetters({ ...request, after: after ?? null });
      for (const { targetId, count } of slice.groups) {
        counts[targetId] = (counts[targetId] ?? 0) + count;
      }
      exact &&= slice.exact;
      after = slice.reached;
    }
    return { counts, exact };
  };
  expect(await all(2_600)).toEqual({ exact: true, counts: { a: 2_600, b: 1_001 } });
  expect(await all(1_500)).toEqual({ exact: false, counts: { a: 1_500, b: 1_001 } });
});
