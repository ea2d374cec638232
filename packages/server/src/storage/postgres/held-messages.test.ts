import { expect, onTestFinished, test } from "vitest";
import { account, makeTarget, past, resultOf, schedule } from "../conformance/harness.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { testDatabases } from "./testing/test-databases.ts";

const makeDatabase = testDatabases();

test("a result that comes once more does not free the claim that was made since", async () => {
  const database = await makeDatabase();
  onTestFinished(() => database.drop());
  const store = await openPostgresStore({
    databaseUrl: database.url,
    retentionMs: 3_600_000,
    idempotencyRetentionMs: 3_600_000,
    leaseMs: 60_000,
  });
  onTestFinished(() => store.close());
  await store.ensureAccount(account);
  const { targetKey } = await makeTarget(store, "t");
  const holder = await store.join("one", "all");
  await schedule(store, "t", past);
  const claim = async () => (await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims;

  // As when the answer to the first recording is lost, and it is tried again after the next claim.
  const [first] = await claim();
  const failed = resultOf(first!, { kind: "retry", delayMs: 0 });
  await store.recordAttempts(holder, [failed]);
  const [second] = await claim();
  expect(await store.recordAttempts(holder, [failed])).toMatchObject([{ kind: "stale" }]);

  await store.renew(holder);
  expect(await claim()).toEqual([]);
  expect(
    await store.recordAttempts(holder, [resultOf(second!, { kind: "delivered" })]),
  ).toMatchObject([{ kind: "recorded" }]);
});
