import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../platform/random.ts";

const keyLength = 32;

/** The key in the data folder, made at the first start. Whoever copies the data needs it too. */
export function encryptionKeyIn(dataDir: string, random: Random): Uint8Array {
  const path = join(dataDir, "encryption.key");
  try {
    return readKey(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const text = `${random.bytes(keyLength).toString("hex")}\n`;
  writeFileSync(path, text, { mode: 0o600, flag: "wx", flush: true });
  return readKey(path);
}

function readKey(path: string): Uint8Array {
  const key = Buffer.from(readFileSync(path, "utf8").trim(), "hex");
  if (key.length === keyLength) return key;
  throw new Error(
    `${path} does not hold a key of ${keyLength} bytes in hex. Restore it from a backup.`,
  );
}
