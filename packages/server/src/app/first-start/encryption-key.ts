import { join } from "node:path";
import { readSecretFile, replaceSecretFile } from "../../platform/secret-files.ts";

export const encryptionKeyLength = 32;

const pathIn = (dataDir: string): string => join(dataDir, "encryption.key");
/** The keys that sealed before the one in the folder, one a line. */
const previousPathIn = (dataDir: string): string => join(dataDir, "encryption.key.previous");

/** The key in the data folder; undefined: none was made yet. A copy of the data is useless without it. */
export function readEncryptionKey(dataDir: string): Uint8Array | undefined {
  const path = pathIn(dataDir);
  const text = readSecretFile(path);
  if (text === undefined) return undefined;
  return keyFrom(text.trim(), path);
}

/** Keys that values may still be sealed with, or that only older backups need. */
export function readPreviousKeys(dataDir: string): Uint8Array[] {
  const path = previousPathIn(dataDir);
  const lines = (readSecretFile(path) ?? "").split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").map((line) => keyFrom(line, path));
}

function keyFrom(text: string, path: string): Uint8Array {
  const key = Buffer.from(text, "hex");
  if (key.length === encryptionKeyLength) return key;
  throw new Error(
    `${path} does not hold a key of ${encryptionKeyLength} bytes in hex. Restore it from a backup.`,
  );
}

/** Writes the key to disk completely or not at all. What is sealed with it is lost without it. */
export function keepEncryptionKey(dataDir: string, key: Uint8Array): void {
  replaceSecretFile(pathIn(dataDir), `${Buffer.from(key).toString("hex")}\n`);
}

/**
 * Replaces the key in the folder. The keys before it are on disk first: whenever the process ends, every value can be
 * opened with what is in the folder.
 */
export function exchangeEncryptionKey(
  dataDir: string,
  key: Uint8Array,
  previous: readonly Uint8Array[],
): void {
  const lines = previous.map((each) => `${Buffer.from(each).toString("hex")}\n`);
  replaceSecretFile(previousPathIn(dataDir), lines.join(""));
  keepEncryptionKey(dataDir, key);
}
