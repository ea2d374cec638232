import { join } from "node:path";
import { readSecretFile, replaceSecretFile } from "../../platform/secret-files.ts";

export const encryptionKeyLength = 32;

const pathIn = (dataDir: string): string => join(dataDir, "encryption.key");

/** The key in the data folder; undefined: none was made yet. A copy of the data is useless without it. */
export function readEncryptionKey(dataDir: string): Uint8Array | undefined {
  const path = pathIn(dataDir);
  const text = readSecretFile(path);
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), "hex");
  if (key.length === encryptionKeyLength) return key;
  throw new Error(
    `${path} does not hold a key of ${encryptionKeyLength} bytes in hex. Restore it from a backup.`,
  );
}

/** Writes the key to disk completely or not at all. What is sealed with it is lost without it. */
export function keepEncryptionKey(dataDir: string, key: Uint8Array): void {
  replaceSecretFile(pathIn(dataDir), `${Buffer.from(key).toString("hex")}\n`);
}
