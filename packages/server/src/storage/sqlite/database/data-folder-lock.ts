import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Claims live in the memory of one process, so two processes on one folder would deliver twice. The
 * lock is an open transaction on a file of its own. The operating system releases it when the
 * process ends in any way, and the database itself stays readable for backups.
 */
export function lockDataFolder(
  dataDir: string,
  whatToDo = "Stop that one, or choose another folder with --data-dir.",
): DatabaseSync {
  const lock = new DatabaseSync(join(dataDir, "postdate.lock"));
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== 5) throw error;
    throw new Error(
      `The data folder ${dataDir} is in use by another Postdate process. ${whatToDo}`,
      { cause: error },
    );
  }
}
