import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "./sync-to-disk.ts";

/** Windows has none of these flags, and no owners and modes: its folders have access lists. */
const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants;
const noFollow = constants.O_NOFOLLOW ?? 0;
const ownUserId = process.getuid?.();

const everybody = 0o007;
const everybodyElse = 0o077;
const everybodyWrites = 0o002;

/** Throws if another user could put files into the folder, or remove ours. */
export function checkFolderIsOurs(path: string): void {
  const folder = statSync(path);
  if (ownUserId === undefined) return;
  if (isForeign(folder)) {
    throw new Error(
      `${path} belongs to another user, who could read the secrets in it. ` +
        `Choose another folder, or make this one yours: chown ${ownUserId} ${path}`,
    );
  }
  if ((folder.mode & everybodyWrites) !== 0) {
    throw new Error(
      `Everybody may write to ${path}, which holds secrets. Allow only its owner: chmod 700 ${path}`,
    );
  }
}

export interface SecretFileRules {
  /** Refuse a file that its group may open. A server's files may be readable to a group on purpose. */
  readonly onlyOwner?: boolean;
}

/** Reads a file that only its owner may read; undefined: there is no such file. */
export function readSecretFile(
  path: string,
  { onlyOwner = false }: SecretFileRules = {},
): string | undefined {
  let file: number;
  try {
    file = openSync(path, O_RDONLY | noFollow);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP" || code === "EMLINK") throw notAFile(path);
    throw error;
  }
  try {
    checkFileIsOurs(path, fstatSync(file), onlyOwner ? everybodyElse : everybody);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** Writes a new file. It refuses an existing one, because another user may have planted it. */
export function createSecretFile(path: string, text: string): void {
  const file = openSync(path, O_CREAT | O_EXCL | O_WRONLY | noFollow, 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Writes the file to disk completely or not at all. If a link has the name, it replaces the link
 * itself.
 */
export function replaceSecretFile(path: string, text: string): void {
  // Left by an earlier start that ended half-way, or planted by another user.
  rmSync(`${path}.new`, { force: true });
  createSecretFile(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  syncFolder(dirname(path));
}

function checkFileIsOurs(path: string, file: Stats, forbidden: number): void {
  if (!file.isFile()) throw notAFile(path);
  if (ownUserId === undefined) return;
  if (isForeign(file)) {
    throw new Error(
      `${path} belongs to another user, who may know what it holds. ` +
        `If you trust it, make it yours: chown ${ownUserId} ${path}`,
    );
  }
  if ((file.mode & forbidden) !== 0) {
    const who = (file.mode & everybody) === 0 ? "Its group" : "Everybody on this machine";
    throw new Error(
      `${who} may open ${path}, which holds a secret. Allow only its owner: chmod 600 ${path}`,
    );
  }
}

/** Files of root count as the operator's. Root itself may use the folder of another user. */
function isForeign({ uid }: Stats): boolean {
  return ownUserId !== 0 && uid !== ownUserId && uid !== 0;
}

function notAFile(path: string): Error {
  return new Error(
    `${path} is a link or no file at all, but must be a file that holds a secret. Remove it, or replace it with the file itself.`,
  );
}
