import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const encryptionKeyLength = 32;

const pathIn = (dataDir: string): string => join(dataDir, "encryption.key");

/** The key in the data folder; undefined where none was made yet. Whoever copies the data needs it too. */
export function readEncryptionKey(dataDir: string): Uint8Array | undefined {
  const path = pathIn(dataDir);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const key = Buffer.from(text.trim(), "hex");
  if (key.length === encryptionKeyLength) return key;
  throw new Error(
    `${path} does not hold a key of ${encryptionKeyLength} bytes in hex. Restore it from a backup.`,
  );
}

/** Whole or not at all, and there to stay: what is sealed with it is of no use without it. */
export function keepEncryptionKey(dataDir: string, key: Uint8Array): void {
  const path = pathIn(dataDir);
  const text = `${Buffer.from(key).toString("hex")}\n`;
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  syncFolder(dataDir);
}

/** A new name is safe once its folder is. Windows knows no such thing, and needs none. */
function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
