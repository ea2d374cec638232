import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { transferKinds } from "../transfer/transfer.ts";
import { schemaSteps } from "./database/migrate.ts";
import { openDatabase } from "./database/open-database.ts";
import { openTransferSource, selectRows } from "./transfer-source.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-source-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const accounts = transferKinds.find(({ name }) => name === "accounts")!;

test("large tables are read in the order of an index, from the beginning or from the middle", () => {
  const { db, close } = openDatabase(dataDir);
  const large = transferKinds.filter(({ name }) => name !== "usage");
  for (const kind of large) {
    for (const isResumed of [false, true]) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${selectRows(kind, isResumed)}`).all();
      const text = plan.map((row) => row["detail"]).join("; ");
      expect(text, kind.name).not.toContain("TEMP B-TREE");
    }
  }
  close();
});

test("the log of a killed server is read, and stays where it is", () => {
  const { db, close } = openDatabase(dataDir);
  db.exec(
    "INSERT INTO accounts (account_id, name, creation_time) VALUES ('acc_in_the_log', 'Log', 1)",
  );
  const killed = mkdtempSync(join(tmpdir(), "postdate-killed-"));
  for (const file of ["postdate.db", "postdate.db-wal"]) {
    cpSync(join(dataDir, file), join(killed, file));
  }
  close();
  const contents = () =>
    ["postdate.db", "postdate.db-wal"].map((file) => readFileSync(join(killed, file)));
  const before = contents();
  expect(before[1]!.length).toBeGreaterThan(0);

  const source = openTransferSource(killed);
  expect([...source.rows(accounts, null)]).toEqual([
    ["acc_in_the_log", null, 1, "Log", null, null, null, 0],
  ]);
  source.close();
  expect(contents()).toEqual(before);
  rmSync(killed, { recursive: true });
});

test("rows continue after a key, and text is ordered by its bytes", () => {
  const { db, close } = openDatabase(dataDir);
  for (const id of ["é", "b", "B", "a"]) {
    db.prepare("INSERT INTO accounts (account_id, creation_time) VALUES (?, 1)").run(id);
  }
  close();
  const source = openTransferSource(dataDir);
  const ids = (after: readonly string[] | null) =>
    [...source.rows(accounts, after)].map(([id]) => id);
  expect(ids(null)).toEqual(["B", "a", "b", "é"]);
  expect(ids(["a"])).toEqual(["b", "é"]);
  expect(source.count(accounts)).toBe(4);
  source.close();
});

test("the identity stays, and the state changes when a node joins", () => {
  const look = () => {
    const source = openTransferSource(dataDir);
    source.close();
    return source.identity;
  };
  openDatabase(dataDir).close();
  const before = look();
  expect(look()).toEqual(before);
  const direct = new DatabaseSync(join(dataDir, "postdate.db"));
  direct.exec("INSERT INTO nodes VALUES ('embedded', 1, 'all', 1)");
  direct.close();
  const after = look();
  expect(after.source).toBe(before.source);
  expect(after.state).not.toBe(before.state);
});

test("a folder without data, in use, or with another schema is refused, and nothing is created", () => {
  expect(() => openTransferSource(dataDir)).toThrow(/There is no Postdate data in/);
  expect(() => statSync(join(dataDir, "postdate.db"))).toThrow("ENOENT");

  const served = openDatabase(dataDir);
  expect(() => openTransferSource(dataDir)).toThrow(/in use by another .* Stop that one first/);
  served.close();
  const setVersion = (version: number): void => {
    const direct = new DatabaseSync(join(dataDir, "postdate.db"));
    direct.exec(`PRAGMA user_version = ${version}`);
    direct.close();
  };
  setVersion(1);
  expect(() => openTransferSource(dataDir)).toThrow(
    `Run \`postdate schema upgrade --data-dir ${dataDir}\``,
  );
  setVersion(99);
  expect(() => openTransferSource(dataDir)).toThrow(/newer version of Postdate/);
  setVersion(schemaSteps().length);
  const source = openTransferSource(dataDir);
  expect(() => openDatabase(dataDir)).toThrow(/in use by another/);
  source.close();
  openDatabase(dataDir).close();
});

test("schedules come with their payloads, and runs of removed schedules stay behind", () => {
  const { db, close } = openDatabase(dataDir);
  db.exec(`
    INSERT INTO accounts (account_key, account_id, creation_time) VALUES (1, 'acc_one', 1);
    INSERT INTO schedules (schedule_key, account_key, schedule_id, target_id, paused, look_time, state)
      VALUES (2, 1, 'b', 't', 1, NULL, '{"b":1}'), (3, 1, 'a', 't', 0, 5, '{"a":1}');
    INSERT INTO schedule_definitions VALUES (2, '{"é":2}', 'of b'), (3, '{"c":3}', 'of a');
    INSERT INTO schedule_runs VALUES (1, 9, 0, 0, NULL, NULL, NULL, 99),
      (2, 8, 1, 1, 2, NULL, NULL, 99), (3, 7, 0, 0, NULL, x'${"0a".repeat(16)}', 6, 99);
  `);
  close();
  const source = openTransferSource(dataDir);
  const kindNamed = (wanted: string) => transferKinds.find(({ name }) => name === wanted)!;
  const rowsOf = (name: string) => [...source.rows(kindNamed(name), null)];
  expect(source.count(kindNamed("schedules"))).toBe(2);
  expect(rowsOf("schedules")).toEqual([
    ["acc_one", "a", "t", 0, 5, '{"c":3,"a":1}', new Uint8Array(Buffer.from("of a"))],
    ["acc_one", "b", "t", 1, null, '{"é":2,"b":1}', new Uint8Array(Buffer.from("of b"))],
  ]);
  expect(source.count(kindNamed("scheduleRuns"))).toBe(2);
  const runs = [
    ["acc_one", "a", 7, 0, 0, null, "0a".repeat(16), 6, 99],
    ["acc_one", "b", 8, 1, 1, 2, null, null, 99],
  ];
  expect(rowsOf("scheduleRuns")).toEqual(runs);
  source.close();
});
