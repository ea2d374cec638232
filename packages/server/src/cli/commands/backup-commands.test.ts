import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { BackupKeeper } from "../surroundings/backup-keeper.ts";
import { openTerminal } from "../testing/command-line.ts";

const facts = { schema: 14, messages: 1_234, scheduled: 1_000, encryptionKeyIds: ["key_a"] };

function keeping(change: Partial<BackupKeeper> = {}, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "postdate-backup-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const keeper: BackupKeeper = {
    async backUp(_dataDir, file) {
      writeFileSync(file, "x".repeat(52_000));
      return facts;
    },
    restore: async ({ encryptionKey }) => ({ ...facts, hasKey: encryptionKey !== null }),
    ...change,
  };
  return { ...openTerminal({ env, openBackups: async () => keeper }), folder };
}

test("backup says what is in it, and where the key is", async () => {
  const { run, stdout, stderr, folder } = keeping();
  writeFileSync(join(folder, "encryption.key"), "");
  const file = join(folder, "monday.db");
  expect(await run("backup", file, "--data-dir", folder)).toBe(0);
  expect(stdout.text).toBe(
    `Backed up to ${file} (52 kB), and read it back: 1,234 messages, 1,000 of them scheduled, schema 14.\n`,
  );
  expect(stderr.text).toContain(
    `Keep a copy of ${join(folder, "encryption.key")} in another place`,
  );
});

test("a key from the environment is named as such, and JSON stands alone", async () => {
  const { run, stdout, stderr, folder } = keeping(
    {},
    { POSTDATE_ENCRYPTION_KEY: "07".repeat(32), POSTDATE_DATA_DIR: "/data" },
  );
  const file = join(folder, "monday.db");
  expect(await run("backup", file)).toBe(0);
  expect(stderr.text).toContain("Keep a copy of POSTDATE_ENCRYPTION_KEY in another place");
  const json = keeping();
  expect(await json.run("backup", join(json.folder, "a.db"), "--json")).toBe(0);
  expect(JSON.parse(json.stdout.text)).toEqual({
    file: join(json.folder, "a.db"),
    bytes: 52_000,
    ...facts,
  });
  expect(json.stderr.text).toBe("");
  expect(stdout.text).not.toContain("07".repeat(32));
});

test("restore says what comes next, and asks for a key that is not there", async () => {
  const { run, stdout, stderr, folder } = keeping();
  const file = join(folder, "monday.db");
  writeFileSync(file, "");
  expect(await run("restore", file, "--data-dir", "/new")).toBe(0);
  expect(stdout.text).toBe(
    `Restored to /new, and read it back: 1,234 messages, 1,000 of them scheduled, schema 14.
Messages that were delivered after the backup are scheduled in it. A server on this folder delivers them again.
`,
  );
  expect(stderr.text).toContain("Put the encryption.key of the data into /new");
  const json = keeping({}, { POSTDATE_ENCRYPTION_KEY: "07".repeat(32) });
  expect(await json.run("restore", file, "--data-dir", "/new", "--json")).toBe(0);
  expect(JSON.parse(json.stdout.text)).toEqual({ dataDir: "/new", ...facts, hasKey: true });
});

test("on a terminal a bar shows how far the copy is, and goes away", async () => {
  const keeper: BackupKeeper = {
    async backUp(_dataDir, file, onCopied) {
      writeFileSync(file, "");
      onCopied(10, 40);
      return facts;
    },
    restore: () => Promise.reject(new Error("not asked for")),
  };
  const { folder } = keeping();
  const terminal = openTerminal({ openBackups: async () => keeper }, 80);
  expect(await terminal.run("backup", join(folder, "monday.db"), "--data-dir", folder)).toBe(0);
  expect(terminal.stderr.text).toContain("Copying");
  expect(terminal.stderr.text).toContain("\r\u001b[KThe encryption key (key_a) is not in it.");
});

test("what fails is one sentence", async () => {
  const failing = () => Promise.reject(new Error("the disk has moved away"));
  const { run, stderr, folder } = keeping({ backUp: failing, restore: failing });
  const file = join(folder, "monday.db");
  expect(await run("backup", file, "--data-dir", folder)).toBe(1);
  expect(stderr.text).toBe("Cannot back up: the disk has moved away\n");
  writeFileSync(file, "");
  expect(await run("restore", file, "--data-dir", folder)).toBe(1);
  expect(stderr.text).toContain(`Cannot restore ${file}: the disk has moved away\n`);
});
