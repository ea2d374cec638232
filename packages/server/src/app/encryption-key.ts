import { readFileSync, writeFileSync } from "node:fs";
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

export function keepEncryptionKey(dataDir: string, key: Uint8Array): void {
  const text = `${Buffer.from(key).toString("hex")}\n`;
  writeFileSync(pathIn(dataDir), text, { mode: 0o600, flag: "wx", flush: true });
}
