import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { systemRandom } from "../platform/random.ts";
import { createKeyring } from "../platform/keyring.ts";
import { backUpFolder } from "../storage/sqlite/backup/back-up-folder.ts";
import { openSqliteStore } from "../storage/sqlite/open-sqlite-store.ts";
import { backupKeeper } from "./backup-keeper.ts";
import { keepEncryptionCheck, useEncryptionKey } from "./first-start/check-encryption-key.ts";
import { keepEncryptionKey } from "./first-start/encryption-key.ts";
import { day, eventfulFolder } from "./testing/eventful-folder.ts";
import type { EventfulFolder } from "./testing/eventful-folder.ts";
import { view } from "./testing/store-view.ts";

let folder: EventfulFolder;
beforeAll(async () => {
  folder = await eventfulFolder();
});
afterAll(() => folder.remove());

const key = new Uint8Array(32).fill(7);
const times = { retentionMs: 14 * day, idempotencyRetentionMs: day };
const nothing = (): void => {};

function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "postdate-backup-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

async function backup(): Promise<string> {
  const file = join(newFolder(), "monday.db");
  await backupKeeper.backUp(folder.path, file, nothing);
  return file;
}

const restore = (
  file: string,
  dataDir: string,
  encryptionKey: Uint8Array | null = null,
  otherEncryptionKeys: readonly Uint8Array[] = [],
) => backupKeeper.restore({ file, dataDir, encryptionKey, otherEncryptionKeys });

test("a restored folder holds everything that the other one held", async () => {
  const file = join(newFolder(), "monday.db");
  const facts = await backupKeeper.backUp(folder.path, file, nothing);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(file, ".."))).toEqual(["monday.db"]);

  const dataDir = join(newFolder(), "restored");
  expect(await restore(file, dataDir)).toEqual({ ...facts, hasKey: false });
  expect(statSync(join(dataDir, "postdate.db")).mode & 0o777).toBe(0o600);
  const original = await folder.open();
  onTestFinished(() => original.close());
  const restored = await openSqliteStore({ dataDir, ...times });
  onTestFinished(() => restored.close());
  const messageIds = Object.values(folder.messageIds);
  const seen = await view(original, messageIds);
  expect(await view(restored, messageIds)).toEqual(seen);
  expect(facts.messages).toBeGreaterThan(facts.scheduled);
});

test("a server that commits all the time does not make the copy begin again", async () => {
  const dataDir = newFolder();
  copyFileSync(join(folder.path, "postdate.db"), join(dataDir, "postdate.db"));
  const store = await openSqliteStore({ dataDir, ...times });
  onTestFinished(() => store.close());
  const writer = new DatabaseSync(join(dataDir, "postdate.db"));
  onTestFinished(() => writer.close());
  const namesIn = (path: string): unknown => {
    using db = new DatabaseSync(path, { readOnly: true });
    return db.prepare("SELECT name FROM accounts ORDER BY account_id").all();
  };
  const before = namesIn(join(dataDir, "postdate.db"));
  let commits = 0;
  const file = join(newFolder(), "busy.db");
  await backUpFolder(dataDir, file, {
    pagesAtOnce: 10,
    onCopied(_copied, total) {
      writer.exec(`UPDATE accounts SET name = 'changed ${++commits} times'`);
      if (commits > total) throw new Error("it begins again and again");
    },
  });
  expect(commits).toBeGreaterThan(3);
  expect(namesIn(file)).toEqual(before);
  expect(namesIn(join(dataDir, "postdate.db"))).not.toEqual(before);
});

test("an earlier backup stays as it is", async () => {
  const file = await backup();
  const bytes = readFileSync(file);
  await expect(backupKeeper.backUp(folder.path, file, nothing)).rejects.toThrow("exists already");
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test("what a backup left that was killed is replaced", async () => {
  const file = join(newFolder(), "monday.db");
  writeFileSync(`${file}.part`, "half");
  await backupKeeper.backUp(folder.path, file, nothing);
  expect(readdirSync(join(file, ".."))).toEqual(["monday.db"]);
});

test("nothing is backed up where there is nothing, and nowhere", async () => {
  const empty = newFolder();
  await expect(backupKeeper.backUp(empty, join(empty, "b"), nothing)).rejects.toThrow(
    `There is no data in ${empty}. Name the folder with --data-dir.`,
  );
  const file = join(empty, "missing/monday.db");
  await expect(backupKeeper.backUp(folder.path, file, nothing)).rejects.toThrow("mkdir -m 700");
  expect(readdirSync(empty)).toEqual([]);
});

test.each<[string, (file: string) => void, RegExp]>([
  [
    "with a damaged page",
    (file) => {
      const bytes = readFileSync(file);
      bytes.fill(0xff, 4_096 * 3, 4_096 * 4);
      writeFileSync(file, bytes);
    },
    /damaged|malformed/,
  ],
  [
    "cut short",
    (file) => writeFileSync(file, readFileSync(file).subarray(0, 40_000)),
    /malformed|damaged/,
  ],
  [
    "of something else",
    (file) => writeFileSync(file, "Dear diary, ".repeat(999)),
    /not a database/,
  ],
  ["that is empty", (file) => writeFileSync(file, ""), /holds no data of Postdate/],
  ["of a later version", (file) => setVersion(file, 99), /newer version of Postdate/],
])("a file %s is not restored, and leaves the folder as it was", async (_name, spoil, said) => {
  const file = await backup();
  spoil(file);
  const dataDir = newFolder();
  keepEncryptionKey(dataDir, key);
  await expect(restore(file, dataDir)).rejects.toThrow(said);
  expect(readdirSync(dataDir).filter((name) => !name.startsWith("postdate.lock"))).toEqual([
    "encryption.key",
  ]);
});

function setVersion(file: string, version: number): void {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA user_version = ${version}`);
  db.close();
}

test("a folder that holds data is left alone, and one that was left half-way is used", async () => {
  const file = await backup();
  const used = newFolder();
  writeFileSync(join(used, "postdate.db-wal"), "a log of another database");
  await expect(restore(file, used)).rejects.toThrow(
    `${used} is not empty: it has postdate.db-wal. Restore into a new folder`,
  );
  expect(readdirSync(used)).toEqual(["postdate.db-wal"]);
  const halfway = join(newFolder(), "halfway");
  mkdirSync(halfway, { mode: 0o700 });
  writeFileSync(join(halfway, "postdate.db.new"), "half");
  await restore(file, halfway);
  expect(readdirSync(halfway)).toContain("postdate.db");
  expect(readdirSync(halfway)).not.toContain("postdate.db.new");
});

test("the encryption key must be the one of the data, from the folder or given", async () => {
  const sealed = newFolder();
  const store = await openSqliteStore({ dataDir: sealed, ...times });
  const keyring = createKeyring({ current: key, others: [], random: systemRandom });
  keyring.knowFirst(keyring.keyId);
  await keepEncryptionCheck(store, keyring);
  await store.close();
  const file = join(newFolder(), "sealed.db");
  await backupKeeper.backUp(sealed, file, nothing);

  const other = newFolder();
  const wrong = new Uint8Array(32).fill(8);
  await expect(restore(file, other, wrong)).rejects.toThrow("does not fit the data");
  expect(readdirSync(other)).not.toContain("postdate.db");
  expect(await restore(file, other, key)).toMatchObject({ hasKey: true });

  const own = newFolder();
  keepEncryptionKey(own, wrong);
  await expect(restore(file, own)).rejects.toThrow("does not fit the data");
  keepEncryptionKey(own, key);
  expect(await restore(file, own)).toMatchObject({ hasKey: true });
});

test("a backup that was made while the key was exchanged names the keys that it needs", async () => {
  const dataDir = newFolder();
  const store = await openSqliteStore({ dataDir, ...times });
  const before = createKeyring({ current: key, others: [], random: systemRandom });
  before.knowFirst(before.keyId);
  await keepEncryptionCheck(store, before);
  const next = new Uint8Array(32).fill(9);
  const both = createKeyring({ current: next, others: [key], random: systemRandom });
  await useEncryptionKey(store, { ...both, firstKeyId: before.keyId }, "node");
  await store.close();
  const file = join(newFolder(), "both.db");
  const facts = await backupKeeper.backUp(dataDir, file, nothing);
  expect(facts.encryptionKeyIds).toEqual([...both.keyIds].toSorted());

  const restored = newFolder();
  await expect(restore(file, restored, key)).rejects.toThrow(
    `Values are sealed with the encryption key ${both.keyId}, which is not at hand.`,
  );
  await expect(restore(file, restored, next)).rejects.toThrow(before.keyId);
  expect(await restore(file, restored, next, [key])).toMatchObject({ hasKey: true });
});
