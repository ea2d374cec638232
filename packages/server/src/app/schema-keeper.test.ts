import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { StoreAddress } from "../cli/surroundings/schema-keeper.ts";
import { account, past } from "../storage/conformance/harness.ts";
import { upgradeSchema, withOneConnection } from "../storage/postgres/migrate.ts";
import { openPostgresStore } from "../storage/postgres/open-postgres-store.ts";
import { testDatabases } from "../storage/postgres/testing/test-databases.ts";
import { readSchemaSteps } from "../storage/schema-version.ts";
import { migrate } from "../storage/sqlite/database/migrate.ts";
import { openSqliteStore } from "../storage/sqlite/open-sqlite-store.ts";
import type { Store } from "../storage/store.ts";
import { schemaKeeper } from "./schema-keeper.ts";

const makeDatabase = testDatabases();
const stepsOf = (store: string) =>
  readSchemaSteps(join(import.meta.dirname, "../storage", store, "migrations"));
const times = { retentionMs: 1_000, idempotencyRetentionMs: 60_000, leaseMs: 10_000 };

interface UpgradableStore extends StoreAddress {
  open(schemaUpgrade: "auto" | "manual"): Promise<Store>;
  /** Creates only an earlier schema, and runs the statements on it. */
  beginAt(version: number, statements?: string): Promise<void>;
  /** Sets the version that a later release of Postdate would write. */
  setVersion(version: number): Promise<void>;
}

function folder(): UpgradableStore {
  const parent = mkdtempSync(join(tmpdir(), "postdate-schema-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const dataDir = join(parent, "data");
  return {
    dataDir,
    databaseUrl: null,
    open: (schemaUpgrade) => openSqliteStore({ dataDir, ...times, schemaUpgrade }),
    async beginAt(version, statements = "") {
      rmSync(dataDir, { recursive: true, force: true });
      mkdirSync(dataDir);
      const db = new DatabaseSync(join(dataDir, "postdate.db"));
      migrate(db, () => {}, stepsOf("sqlite").slice(0, version));
      db.exec(statements);
      db.close();
    },
    async setVersion(version) {
      const db = new DatabaseSync(join(dataDir, "postdate.db"));
      db.exec(`PRAGMA user_version = ${version}`);
      db.close();
    },
  };
}

async function database(): Promise<UpgradableStore> {
  const { url: databaseUrl, drop } = await makeDatabase();
  onTestFinished(() => drop());
  const send = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  return {
    dataDir: "unused",
    databaseUrl,
    open: (schemaUpgrade) => openPostgresStore({ databaseUrl, ...times, schemaUpgrade }),
    async beginAt(version, statements = "") {
      await send("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      await withOneConnection(databaseUrl, (connections) =>
        upgradeSchema(connections, () => {}, stepsOf("postgres").slice(0, version)),
      );
      await send(statements);
    },
    setVersion: (version) => send(`INSERT INTO schema_version VALUES (${version})`),
  };
}

test.each([
  ["embedded", folder],
  ["postgresql", database],
])("%s: shown, upgraded, left to the operator, refused", async (store, makeStore) => {
  const kept = await makeStore();
  const steps = stepsOf(store === "embedded" ? "sqlite" : "postgres").map(({ name }) => name);
  const known = steps.length;
  const nothing = { store, known, migrationUnfinished: false };
  expect(await schemaKeeper.status(kept)).toEqual({ ...nothing, version: 0, pending: steps });
  expect(await schemaKeeper.status(kept)).toMatchObject({ version: 0 });
  expect(existsSync(kept.dataDir)).toBe(false);

  const applied: string[] = [];
  const upgrade = () => schemaKeeper.upgrade(kept, (step) => applied.push(step));
  expect(await upgrade()).toEqual({ ...nothing, version: known, pending: [] });
  await upgrade();
  expect(applied).toEqual(steps);
  await (await kept.open("manual")).close();

  await kept.beginAt(1);
  const missing = steps.slice(1);
  expect(await schemaKeeper.status(kept)).toMatchObject({ version: 1, pending: missing });
  const command = kept.databaseUrl === null ? ` --data-dir ${kept.dataDir}` : "";
  await expect(kept.open("manual")).rejects.toThrow(
    `The schema is 1, and this version needs ${known}. Run \`postdate schema upgrade${command}\``,
  );
  expect(await schemaKeeper.status(kept)).toMatchObject({ version: 1 });
  await upgrade();
  expect(applied).toEqual([...steps, ...missing]);

  await kept.beginAt(1);
  const opened = await kept.open("auto");
  expect(await schemaKeeper.status(kept)).toMatchObject({ version: known, pending: [] });
  expect(await opened.keepEncryptionCheck("sealed")).toBe("sealed");
  await opened.close();

  await kept.setVersion(99);
  expect(await schemaKeeper.status(kept)).toMatchObject({ version: 99, known, pending: [] });
  const newer = `written by a newer version of Postdate (schema 99, this version knows ${known})`;
  await expect(upgrade()).rejects.toThrow(newer);
  await expect(kept.open("auto")).rejects.toThrow(newer);
  await expect(kept.open("manual")).rejects.toThrow(newer);
});

const target = `'t', 'webhook', '', '', '{}', 5, NULL`;
const inSchema2: Readonly<Record<string, string>> = {
  embedded: `
    INSERT INTO accounts VALUES (1, '${account}', 7, 1);
    INSERT INTO access_keys VALUES (1, 'key_1', 'first', '[]', 'hash', 1);
    INSERT INTO targets VALUES (1, 1, ${target}, 0, 1, 1, NULL, 1);
    INSERT INTO messages VALUES (5, zeroblob(16), 1, 1, 0, 1, 1, ${past}, ${past}, NULL, NULL, NULL,
      NULL, 0, 0, 0, 1, 'payload');
    UPDATE counters SET value = 1`,
  postgresql: `
    INSERT INTO accounts VALUES ('${account}', 7, 1);
    INSERT INTO access_keys VALUES ('${account}', 'key_1', 'first', '[]', 'hash', 1);
    INSERT INTO targets OVERRIDING SYSTEM VALUE
      VALUES (1, '${account}', ${target}, false, 1, 1, NULL, 1);
    INSERT INTO target_turns VALUES (1);
    INSERT INTO messages VALUES ('00000000-0000-0000-0000-000000000000', '${account}', 1, 0, 1, 1,
      ${past}, ${past}, NULL, NULL, NULL, NULL, 0, 0, 0, 1, 'payload')`,
};

test.each([
  ["embedded", folder],
  ["postgresql", database],
])("%s: the data of schema 2 works under later schemas", async (store, makeStore) => {
  const kept = await makeStore();
  await kept.beginAt(2, inSchema2[store]);
  const opened = await kept.open("auto");
  onTestFinished(() => opened.close());
  expect(await opened.findKey("hash")).toMatchObject({
    key: { keyId: "key_1", accountId: account },
    account: {
      ...{ name: account, state: "ACTIVE", monthlyMessageLimit: 7 },
      ...{ requestLimit: null, suspensionTime: null },
    },
  });
  const holder = await opened.join("node", "all");
  const { claims } = await opened.claimDue(holder, [{ targetKey: 1, limit: 5 }]);
  expect(claims).toMatchObject([{ payload: "payload" }]);
});

test.each([
  ["embedded", folder],
  ["postgresql", database],
])(
  "%s: a server starts on every earlier schema, and finds its encryption check",
  async (store, makeStore) => {
    const kept = await makeStore();
    const { length: known } = stepsOf(store === "embedded" ? "sqlite" : "postgres");
    const renamedBy = store === "embedded" ? 5 : 4;
    for (let version = 2; version < known; version++) {
      const column = version < renamedBy ? "place" : "only_row";
      await kept.beginAt(
        version,
        `INSERT INTO encryption_check (${column}, sealed) VALUES (1, 'first')`,
      );
      const opened = await kept.open("auto");
      expect(await opened.encryptionCheck()).toBe("first");
      expect(await opened.keepEncryptionCheck("second")).toBe("first");
      await opened.close();
    }
  },
);

test("a folder in use by a server can be inspected, but not upgraded", async () => {
  const kept = folder();
  await schemaKeeper.upgrade(kept, () => {});
  const store = await kept.open("auto");
  const version = stepsOf("sqlite").length;
  expect(await schemaKeeper.status(kept)).toMatchObject({ version, pending: [] });
  await expect(schemaKeeper.upgrade(kept, () => {})).rejects.toThrow(/in use by another/);
  await store.close();
});

test("a database that cannot be reached has its own exit code", async () => {
  const databaseUrl = "postgres://postdate@127.0.0.1:1/postdate";
  await expect(schemaKeeper.status({ dataDir: "", databaseUrl })).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining("PostgreSQL cannot be reached"),
  });
});
