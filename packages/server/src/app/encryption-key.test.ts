import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepEncryptionKey, readEncryptionKey } from "./encryption-key.ts";

test("a key is kept for its owner alone, also where an earlier start ended half-way through", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-key-"));
  writeFileSync(join(dataDir, "encryption.key.new"), "ab", { mode: 0o600 });
  expect(readEncryptionKey(dataDir)).toBeUndefined();
  const key = new Uint8Array(32).fill(7);
  keepEncryptionKey(dataDir, key);
  expect(readEncryptionKey(dataDir)).toEqual(Buffer.from(key));
  expect(readdirSync(dataDir)).toEqual(["encryption.key"]);
  expect(statSync(join(dataDir, "encryption.key")).mode & 0o777).toBe(0o600);
  rmSync(dataDir, { recursive: true });
});
