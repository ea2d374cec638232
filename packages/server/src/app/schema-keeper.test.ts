import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { StorePlace } from "../cli/schema-keeper.ts";
import { openPostgresStore } from "../storage/postgres/open-postgres-store.ts";
import { testDatabases } from "../storage/postgres/testing/test-databases.ts";
import { openSqliteStore } from "../storage/sqlite/open-sqlite-store.ts";
import type { Store } from "../storage/store.ts";
import { schemaKeeper } from "./schema-keeper.ts";

const makeDatabase = testDatabases();
const steps = ["0001_initial", "0002_encryption_check"];
const times = { retentionMs: 1_000, idempotencyRetentionMs: 60_000, leaseMs: 10_000 };

interface Place extends StorePlace {
  open(schemaUpgrade: "auto" | "manual"): Promise<Store>;
  /** As schema 1 was, and as a version from the future would leave it. */
  setVersion(version: number): Promise<void>;
}

function folder(): Place {
  const parent = mkdtempSync(join(tmpdir(), "postdate-schema-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const dataDir = join(parent, "data");
  return {
    dataDir,
    databaseUrl: null,
    open: (schemaUpgrade) => openSqliteStore({ dataDir, ...times, schemaUpgrade }),
    async setVersion(version) {
      const db = new DatabaseSync(join(dataDir, "postdate.db"));
      if (version === 1) db.exec("DROP TABLE encryption_check");
      db.exec(`PRAGMA user_version = ${version}`);
      db.close();
    },
  };
}

async function database(): Promise<Place> {
  const { url: databaseUrl, drop } = await makeDatabase();
  onTestFinished(() => drop());
  return {
    dataDir: "unused",
    databaseUrl,
    open: (schemaUpgrade) => openPostgresStore({ databaseUrl, ...times, schemaUpgrade }),
    async setVersion(version) {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      if (version === 1) {
        await client.query("DROP TABLE encryption_check");
        await client.query("DELETE FROM schema_version WHERE version > 1");
      } else {
        await client.query("INSERT INTO schema_version VALUES ($1)", [version]);
      }
      await client.end();
    },
  };
}

test.each([
  ["embedded", folder],
  ["postgresql", database],
])("%s: looked at, upgraded, left to an operator, refused", async (store, makePlace) => {
  const place = await makePlace();
  const nothing = { store, known: 2, migrationUnfinished: false };
  expect(await schemaKeeper.status(place)).toEqual({ ...nothing, version: 0, pending: steps });
  expect(await schemaKeeper.status(place)).toMatchObject({ version: 0 });
  expect(existsSync(place.dataDir)).toBe(false);

  const applied: string[] = [];
  const upgrade = () => schemaKeeper.upgrade(place, (step) => applied.push(step));
  expect(await upgrade()).toEqual({ ...nothing, version: 2, pending: [] });
  await upgrade();
  expect(applied).toEqual(steps);
  await (await place.open("manual")).close();

  await place.setVersion(1);
  expect(await schemaKeeper.status(place)).toMatchObject({ version: 1, pending: [steps[1]] });
  const command = place.databaseUrl === null ? ` --data-dir ${place.dataDir}` : "";
  await expect(place.open("manual")).rejects.toThrow(
    `The schema is 1, and this version needs 2. Run \`postdate schema upgrade${command}\``,
  );
  expect(await schemaKeeper.status(place)).toMatchObject({ version: 1 });
  await upgrade();
  expect(applied).toEqual([...steps, steps[1]]);

  await place.setVersion(1);
  const opened = await place.open("auto");
  expect(await schemaKeeper.status(place)).toMatchObject({ version: 2, pending: [] });
  expect(await opened.keepEncryptionCheck("sealed")).toBe("sealed");
  await opened.close();

  await place.setVersion(9);
  expect(await schemaKeeper.status(place)).toMatchObject({ version: 9, known: 2, pending: [] });
  const newer = /written by a newer version of Postdate \(schema 9, this version knows 2\)/;
  await expect(upgrade()).rejects.toThrow(newer);
  await expect(place.open("auto")).rejects.toThrow(newer);
  await expect(place.open("manual")).rejects.toThrow(newer);
});

test("a folder that is served can be looked at, and is not upgraded", async () => {
  const place = folder();
  await schemaKeeper.upgrade(place, () => {});
  const store = await place.open("auto");
  expect(await schemaKeeper.status(place)).toMatchObject({ version: 2, pending: [] });
  await expect(schemaKeeper.upgrade(place, () => {})).rejects.toThrow(/in use by another/);
  await store.close();
});

test("a database that is not there has an exit code of its own", async () => {
  const databaseUrl = "postgres://postdate@127.0.0.1:1/postdate";
  await expect(schemaKeeper.status({ dataDir: "", databaseUrl })).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining("PostgreSQL is not available"),
  });
});
