import { closeSync, constants, fsyncSync, openSync, rmSync, writeSync } from "node:fs";

/** Windows has no such flag. There, `O_EXCL` alone refuses a link with the file's name. */
const noFollow = constants.O_NOFOLLOW ?? 0;
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;

/**
 * Writes the key to a new file that only its owner can read. It refuses an existing file: another user
 * may own it, or read it through a link.
 */
export function writeRootKey(path: string, key: string): void {
  let file: number;
  try {
    file = openSync(path, newFile, 0o600);
  } catch (error) {
    throw new Error(`the root key cannot be written to ${path}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  try {
    writeSync(file, `${key}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Removes the file of a key that did not become the root key. */
export function removeRootKey(path: string): void {
  rmSync(path, { force: true });
}

function reasonOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EEXIST":
    case "ELOOP":
      return "it exists already. Remove it, or choose another with --write-root-key.";
    case "ENOENT":
      return "its folder does not exist. Make the folder first.";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "permission denied. Choose another file with --write-root-key.";
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
