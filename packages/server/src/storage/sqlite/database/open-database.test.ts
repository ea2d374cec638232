import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "./open-database.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-database-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

test("it is durable: the write-ahead log is synced with every commit", () => {
  const { db, close } = openDatabase(dataDir);
  expect(db.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  expect(db.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
  close();
});

test("only their owner can read its files", () => {
  const { db, close } = openDatabase(dataDir);
  db.exec("CREATE TABLE written (x)");
  for (const name of ["postdate.db", "postdate.db-wal"]) {
    expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  }
  close();
});

test("one process at a time opens a folder, and the next can after it was closed", () => {
  const first = openDatabase(dataDir);
  expect(() => openDatabase(dataDir)).toThrow("in use by another Postdate process");
  first.close();
  openDatabase(dataDir).close();
});

test("opening twice changes nothing; a newer schema is refused and stays as it is", () => {
  openDatabase(dataDir).close();
  openDatabase(dataDir).close();
  const path = join(dataDir, "postdate.db");
  const direct = new DatabaseSync(path);
  direct.exec("PRAGMA user_version = 9999");
  direct.close();
  expect(() => openDatabase(dataDir)).toThrow("written by a newer version of Postdate");
  const again = new DatabaseSync(path);
  expect(again.prepare("PRAGMA user_version").get()).toEqual({ user_version: 9999 });
  again.close();
});

test("other processes may read it while it is open, for a backup", () => {
  const { close } = openDatabase(dataDir);
  const reader = new DatabaseSync(join(dataDir, "postdate.db"), { readOnly: true });
  expect(reader.prepare("SELECT count(*) AS count FROM messages").get()).toEqual({ count: 0 });
  reader.close();
  close();
});

test("claiming and listing read their index, in order, and never the whole table", () => {
  const { db, close } = openDatabase(dataDir);
  const planOf = (sql: string): string =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row["detail"]))
      .join("; ");
  const claim = planOf(
    `SELECT message_key, next_delivery_time FROM messages
     WHERE target_key = 1 AND next_delivery_time IS NOT NULL
     ORDER BY next_delivery_time, message_key LIMIT 10`,
  );
  expect(claim).toMatch(/COVERING INDEX messages_scheduled/);
  expect(claim).not.toMatch(/SCAN|TEMP B-TREE/);
  const list = planOf(
    `SELECT * FROM messages m JOIN targets USING (target_key)
     WHERE m.target_key = 1 AND (dead_letter_time, message_key) > (1, 2) AND dead_letter_time <= 9
     ORDER BY dead_letter_time, message_key LIMIT 10`,
  );
  expect(list).toMatch(/INDEX messages_dead/);
  expect(list).not.toMatch(/SCAN|TEMP B-TREE/);
  close();
});
