import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hour } from "../conformance/harness.ts";
import { readSchemaSteps } from "../schema-version.ts";
import { upgradeSchema, withOneConnection } from "./migrate.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { testDatabases } from "./testing/test-databases.ts";
import { openTransferDestination } from "./transfer-destination.ts";

const makeDatabase = testDatabases();
const times = { retentionMs: hour, idempotencyRetentionMs: hour, leaseMs: 60_000 };

test("a database that is not UTF8 is refused, and stays as it is", async () => {
  const { url: databaseUrl, drop } = await makeDatabase(
    "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
  );
  onTestFinished(() => drop());
  const destination = openTransferDestination(databaseUrl);
  onTestFinished(() => destination.close());
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    auto: () => openPostgresStore({ databaseUrl, ...times, schemaUpgrade: "auto" }),
    manual: () => openPostgresStore({ databaseUrl, ...times, schemaUpgrade: "manual" }),
    upgrade: () => withOneConnection(databaseUrl, (connections) => upgradeSchema(connections)),
    migrate: () => destination.begin({ source: "a folder", state: "its state" }),
  };
  for (const [way, open] of Object.entries(ways)) {
    await expect(open(), way).rejects.toThrow(
      "The database has the encoding SQL_ASCII, but Postdate needs UTF8. Create another: " +
        "createdb --owner=<role> --encoding=UTF8 --template=template0 <name>",
    );
  }
  const tables = await withOneConnection(databaseUrl, (connections) =>
    connections.query({ name: "", text: "SELECT FROM pg_tables WHERE schemaname = 'public'" }),
  );
  expect(tables).toEqual([]);
});

/** Renamed or removed on purpose: only a start uses it, and a start refuses a newer schema. */
const gone = new Set(["encryption_check.place"]);

test("a running node of an earlier version finds every table and column after an upgrade", async () => {
  const { url, drop } = await makeDatabase();
  onTestFinished(() => drop());
  const steps = readSchemaSteps(join(import.meta.dirname, "migrations"));
  const columnsAt = (version: number): Promise<string[]> =>
    withOneConnection(url, async (connections) => {
      await upgradeSchema(connections, () => {}, steps.slice(0, version));
      const rows = await connections.query({
        name: "",
        text: `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
          WHERE table_schema = 'public'`,
      });
      return rows.map((row) => row["name"] as string);
    });
  const earlier = new Set<string>();
  for (const { version } of steps) {
    const columns = await columnsAt(version);
    for (const name of columns) earlier.add(name);
    const missing = [...earlier].filter((name) => !columns.includes(name) && !gone.has(name));
    expect(missing, `schema ${version}`).toEqual([]);
  }
});

test("no table is made with the storage of a column, which PostgreSQL 15 does not understand", () => {
  const steps = readSchemaSteps(join(import.meta.dirname, "migrations"));
  const wrong = steps.filter(({ sql }) => /^ +\w+ \w+ STORAGE\b/m.test(sql));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
