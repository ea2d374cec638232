import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Checkpoints, commitsPerLook, longestLog } from "./checkpoints.ts";
import { longLog, openDatabase } from "../database/open-database.ts";
import type { OpenDatabase } from "../database/open-database.ts";

const rowsPerCommit = 50;
const value = randomBytes(1_000);

let dataDir: string;
let database: OpenDatabase;
let checkpoints: Checkpoints;
let rows: number;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-checkpoints-"));
  database = openDatabase(dataDir);
  database.db.exec("CREATE TABLE rows (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID");
  checkpoints = new Checkpoints(database);
  rows = 0;
});
afterEach(async () => {
  await closeAll();
  rmSync(dataDir, { recursive: true });
});

async function closeAll(): Promise<void> {
  if (!database.db.isOpen) return;
  await checkpoints.letGo();
  database.close();
  checkpoints.close();
}

function lengths() {
  const found = database.db.prepare("PRAGMA wal_checkpoint(NOOP)").get();
  return found as { log: number; checkpointed: number };
}

/** Random keys put nearly every row on a page of its own. */
function commit(): void {
  const { db } = database;
  const insert = db.prepare("INSERT INTO rows VALUES (?, ?)");
  db.exec("BEGIN");
  for (let row = 0; row < rowsPerCommit; row++) insert.run(randomBytes(16), value);
  db.exec("COMMIT");
  rows += rowsPerCommit;
  checkpoints.committed();
}

/**
 * Writes without a pause until the log has restarted this often. Answers with the greatest length
 * of the log.
 */
async function writeUntilRestarted(times: number): Promise<number> {
  let longest = 0;
  for (let before = 0; times > 0;) {
    commit();
    const { log } = lengths();
    if (log < before) times--;
    longest = Math.max(longest, log);
    before = log;
    await setImmediate();
  }
  return longest;
}

/** Gives no other work a chance to run. */
function writeUntilLong(): void {
  while (lengths().log < longLog) commit();
  for (let more = 0; more < commitsPerLook; more++) commit();
}

test("the log restarts again and again during writes, and no commit has to move it", async () => {
  const longest = await writeUntilRestarted(3);
  expect(longest).toBeGreaterThanOrEqual(longLog);
  expect(longest).toBeLessThan(longestLog);
});

test("when writing ends the rest is moved too", async () => {
  writeUntilLong();
  await vi.waitFor(
    () => {
      const { log, checkpointed } = lengths();
      expect(checkpointed).toBe(log);
    },
    { timeout: 60_000 },
  );
});

test("after a rest, another thread moves the log, and a close waits for both", async () => {
  await writeUntilRestarted(1);
  await vi.waitFor(() => expect(checkpoints.rest()).toBe(true), { timeout: 60_000 });
  const longest = await writeUntilRestarted(2);
  expect(longest).toBeLessThan(longestLog);
  await closeAll();
  expect(existsSync(`${database.path}-wal`)).toBe(false);
});

test("after a close during a move, everything is in the database and no log is left", async () => {
  writeUntilLong();
  await closeAll();
  expect(existsSync(`${database.path}-wal`)).toBe(false);
  const again = openDatabase(dataDir);
  const [counted] = again.db.prepare("SELECT count(*) AS count FROM rows").all();
  const [checked] = again.db.prepare("PRAGMA integrity_check").all();
  again.close();
  expect(counted).toEqual({ count: rows });
  expect(checked).toEqual({ integrity_check: "ok" });
});

test("without the other thread, a commit moves the log", async () => {
  await checkpoints.letGo();
  checkpoints.close();
  const path = join(dataDir, "no-database");
  writeFileSync(path, "nothing that SQLite knows".repeat(100));
  checkpoints = new Checkpoints({ db: database.db, path });
  const longest = await writeUntilRestarted(1);
  expect(longest).toBeGreaterThanOrEqual(longestLog);
  expect(longest).toBeLessThan(longestLog + 1_000);
});
