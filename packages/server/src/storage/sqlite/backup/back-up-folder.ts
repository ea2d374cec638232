import { closeSync, constants, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { syncFile, syncFolder } from "../../../platform/sync-to-disk.ts";
import type { BackupFacts } from "./backup-facts.ts";
import { countMessages, readBack } from "./read-back.ts";

/** About 100 MB: between two steps others may use the thread. */
const usualPagesAtOnce = 25_000;

export interface BackUpOptions {
  /** In pages of the database. */
  readonly onCopied?: (copied: number, total: number) => void;
  readonly pagesAtOnce?: number;
}

/**
 * Copies the data of one moment to a new file, also while a server works on the folder, and reads the
 * copy back. The file appears only when it is whole and on disk.
 */
export async function backUpFolder(
  dataDir: string,
  file: string,
  options: BackUpOptions = {},
): Promise<BackupFacts> {
  const path = join(dataDir, "postdate.db");
  if (!existsSync(path))
    throw new Error(`There is no data in ${dataDir}. Name the folder with --data-dir.`);
  const part = `${file}.part`;
  createForOwner(file, part);
  try {
    const copied = await copySnapshot(path, part, options);
    const facts = readBack(part);
    if (facts.messages !== copied.messages || facts.scheduled !== copied.scheduled) {
      throw new Error(`it has ${facts.messages} messages, and the data has ${copied.messages}`);
    }
    syncFile(part);
    renameSync(part, file);
    syncFolder(dirname(file));
    return facts;
  } catch (error) {
    for (const left of [part, `${part}-journal`, `${part}-wal`, `${part}-shm`]) {
      rmSync(left, { force: true });
    }
    throw error;
  }
}

/** An earlier backup is never overwritten: it may be the only good one. */
function createForOwner(file: string, part: string): void {
  const folder = dirname(file);
  if (!existsSync(folder))
    throw new Error(`There is no folder ${folder}. Make it first: mkdir -m 700 ${folder}`);
  if (existsSync(file))
    throw new Error(`${file} exists already. Choose another name, or remove it.`);
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  // Left by a backup that ended half-way, or planted by another user.
  rmSync(part, { force: true });
  closeSync(openSync(part, O_CREAT | O_EXCL | O_WRONLY, 0o600));
}

/**
 * The open transaction keeps the moment: without it, each commit of the server would make the copy
 * begin again, and on a busy server it would never end.
 */
async function copySnapshot(
  path: string,
  part: string,
  { onCopied = () => {}, pagesAtOnce = usualPagesAtOnce }: BackUpOptions,
): Promise<Pick<BackupFacts, "messages" | "scheduled">> {
  using db = new DatabaseSync(path, { readOnly: true });
  db.exec("PRAGMA busy_timeout = 5000; BEGIN");
  const counted = countMessages(db);
  await backup(db, part, {
    rate: pagesAtOnce,
    progress: ({ totalPages, remainingPages }) => onCopied(totalPages - remainingPages, totalPages),
  });
  return counted;
}
