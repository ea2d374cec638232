import { chmodSync, copyFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { syncFile, syncFolder } from "../../../platform/sync-to-disk.ts";
import { lockDataFolder } from "../database/data-folder-lock.ts";
import type { BackupFacts } from "./backup-facts.ts";
import { encryptionCheckIn, readBack } from "./read-back.ts";

/** What may be in the folder before: the key, and what an earlier try left. */
const mayBeThere: ReadonlySet<string> = new Set([
  "encryption.key",
  "encryption.key.previous",
  "postdate.lock",
  "postdate.lock-journal",
  "postdate.db.new",
  "postdate.db.new-journal",
]);

/** Throws if the encryption keys at hand are not those of the data. */
export type CheckKey = (encryptionCheck: string | null, keyIds: readonly string[]) => void;

/** Puts a backup into an existing folder that holds no data. The data appears whole, or not at all. */
export function restoreFolder(file: string, dataDir: string, checkKey: CheckKey): BackupFacts {
  refuseOtherFiles(dataDir);
  using _lock = lockDataFolder(dataDir);
  const copy = join(dataDir, "postdate.db.new");
  try {
    rmSync(copy, { force: true });
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    const facts = readBack(copy);
    checkKey(encryptionCheckIn(copy), facts.encryptionKeyIds);
    syncFile(copy);
    renameSync(copy, join(dataDir, "postdate.db"));
    syncFolder(dataDir);
    return facts;
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

/** The log of another database would damage the restored one, and data of another one would be lost. */
function refuseOtherFiles(dataDir: string): void {
  const others = readdirSync(dataDir).filter((name) => !mayBeThere.has(name));
  if (others.length === 0) return;
  throw new Error(
    `${dataDir} is not empty: it has ${others.slice(0, 3).join(", ")}. Restore into a new folder, and move the old one away.`,
  );
}
