import { expect, onTestFinished, test } from "vitest";
import { hashKey, rootKeyId } from "../operations/create-key.ts";
import { systemRandom } from "../platform/random.ts";
import { openPostgresStore } from "../storage/postgres/open-postgres-store.ts";
import { testDatabases } from "../storage/postgres/testing/test-databases.ts";
import { ensureRootAccess } from "./root-access.ts";

const makeDatabase = testDatabases();

test("of nodes that start together one makes the root key, and that one is valid", async () => {
  const database = await makeDatabase();
  onTestFinished(() => database.drop());
  const open = () =>
    openPostgresStore({
      databaseUrl: database.url,
      retentionMs: 3_600_000,
      idempotencyRetentionMs: 3_600_000,
      leaseMs: 60_000,
    });
  const stores = await Promise.all([open(), open(), open()]);
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  const start = (fixed: string | null) =>
    Promise.all(stores.map((store) => ensureRootAccess(store, fixed, systemRandom)));

  const printed = (await start(null)).filter((key) => key !== null);
  expect(printed).toHaveLength(1);
  expect(await stores[0].findKey(hashKey(printed[0]!))).toMatchObject({ keyId: rootKeyId });

  const fixed = "pd_fixed_by_the_operator";
  expect(await start(fixed)).toEqual([null, null, null]);
  expect(await stores[0].findKey(hashKey(printed[0]!))).toBeUndefined();
  expect(await stores[0].findKey(hashKey(fixed))).toMatchObject({ keyId: rootKeyId });
});
