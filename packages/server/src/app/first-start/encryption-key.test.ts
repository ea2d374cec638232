import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keepEncryptionKey, readEncryptionKey } from "./encryption-key.ts";

const key = new Uint8Array(32).fill(7);

function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "postdate-key-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test("only its owner can read the stored key, also when an earlier start ended half-way", () => {
  const dataDir = newFolder();
  writeFileSync(join(dataDir, "encryption.key.new"), "ab", { mode: 0o600 });
  expect(readEncryptionKey(dataDir)).toBeUndefined();
  keepEncryptionKey(dataDir, key);
  expect(readEncryptionKey(dataDir)).toEqual(Buffer.from(key));
  expect(readdirSync(dataDir)).toEqual(["encryption.key"]);
  expect(statSync(join(dataDir, "encryption.key")).mode & 0o777).toBe(0o600);
});

test.each(["encryption.key.new", "encryption.key"])(
  "a link named %s does not receive the key",
  (name) => {
    const dataDir = newFolder();
    const elsewhere = join(newFolder(), "stolen");
    symlinkSync(elsewhere, join(dataDir, name));
    keepEncryptionKey(dataDir, key);
    expect(existsSync(elsewhere)).toBe(false);
    expect(readEncryptionKey(dataDir)).toEqual(Buffer.from(key));
  },
);

test("a file that another user keeps open does not receive the key", () => {
  const dataDir = newFolder();
  const planted = join(dataDir, "encryption.key.new");
  const open = openSync(planted, "w+", 0o666);
  onTestFinished(() => closeSync(open));
  keepEncryptionKey(dataDir, key);
  expect(readFileSync(open, "utf8")).toBe("");
});

test("a link is not read as the key", () => {
  const dataDir = newFolder();
  const elsewhere = join(newFolder(), "known");
  writeFileSync(elsewhere, Buffer.from(key).toString("hex"), { mode: 0o600 });
  symlinkSync(elsewhere, join(dataDir, "encryption.key"));
  expect(() => readEncryptionKey(dataDir)).toThrow(/encryption\.key is a link .* Remove it/);
});

test("a key that everybody may read is refused, and the error says what to do", () => {
  const dataDir = newFolder();
  keepEncryptionKey(dataDir, key);
  const path = join(dataDir, "encryption.key");
  chmodSync(path, 0o644);
  expect(() => readEncryptionKey(dataDir)).toThrow(`chmod 600 ${path}`);
  chmodSync(path, 0o600);
  expect(readFileSync(path, "utf8").trim()).toBe(Buffer.from(key).toString("hex"));
  expect(readEncryptionKey(dataDir)).toEqual(Buffer.from(key));
});
