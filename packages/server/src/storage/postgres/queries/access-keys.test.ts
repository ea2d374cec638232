import { expect, onTestFinished, test } from "vitest";
import { account } from "../../conformance/harness.ts";
import type { NewAccessKey } from "../../store.ts";
import { openPostgresStore } from "../open-postgres-store.ts";
import { testDatabases } from "../testing/test-databases.ts";

const makeDatabase = testDatabases();

test("nodes that start together may all replace the same key", async () => {
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
  await stores[0].ensureAccount(account);
  for (let round = 0; round < 5; round++) {
    const key: NewAccessKey = {
      accountId: account,
      keyId: "root",
      name: "root",
      scopes: ["scheduler.all.readwrite"],
      hash: `hash ${round}`,
    };
    const made = await Promise.all(stores.map((store) => store.replaceKey(key)));
    expect(made.map(({ keyId }) => keyId)).toEqual(["root", "root", "root"]);
    expect(await stores[0].listKeys(account)).toHaveLength(1);
    expect(await stores[1].findKey(`hash ${round}`)).toMatchObject({ keyId: "root" });
  }
});
