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

/** Windows has none of these, nor owners and modes: its folders have access lists of their own. */
const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants;
const noFollow = constants.O_NOFOLLOW ?? 0;
const ownUserId = process.getuid?.();

const everybody = 0o007;
const everybodyWrites = 0o002;

/** Throws where somebody else could put files into the folder, or take ours away. */
export function checkFolderIsOurs(path: string): void {
  const folder = statSync(path);
  if (ownUserId === undefined) return;
  if (isForeign(folder)) {
    throw new Error(
      `${path} belongs to another user, who could read the secrets kept there. ` +
        `Choose another folder, or make this one yours: chown ${ownUserId} ${path}`,
    );
  }
  if ((folder.mode & everybodyWrites) !== 0) {
    throw new Error(
      `Everybody may write to ${path}, and secrets are kept there. Take that away: chmod 700 ${path}`,
    );
  }
}

/** What a file holds that only its owner may read; undefined where there is none. */
export function readSecretFile(path: string): string | undefined {
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
    checkFileIsOurs(path, fstatSync(file));
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** Writes a file that must not be there yet: one that was planted is never written to. */
export function createSecretFile(path: string, text: string): void {
  const file = openSync(path, O_CREAT | O_EXCL | O_WRONLY | noFollow, 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whole or not at all, and there to stay. Whatever has the name, a link too, is replaced itself. */
export function replaceSecretFile(path: string, text: string): void {
  // Of an earlier start that ended half-way, or planted.
  rmSync(`${path}.new`, { force: true });
  createSecretFile(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  syncFolder(dirname(path));
}

function checkFileIsOurs(path: string, file: Stats): void {
  if (!file.isFile()) throw notAFile(path);
  if (ownUserId === undefined) return;
  if (isForeign(file)) {
    throw new Error(
      `${path} belongs to another user, who may know what it holds. ` +
        `If you trust it, make it yours: chown ${ownUserId} ${path}`,
    );
  }
  if ((file.mode & everybody) !== 0) {
    throw new Error(
      `Everybody on this machine may open ${path}, which holds a secret. Take that away: chmod 600 ${path}`,
    );
  }
}

/** What belongs to root is the operator's. Root itself may be given the folder of another user. */
function isForeign({ uid }: Stats): boolean {
  return ownUserId !== 0 && uid !== ownUserId && uid !== 0;
}

function notAFile(path: string): Error {
  return new Error(
    `${path} is a link or no file at all, and a secret belongs there. Remove it, or put the file itself in its place.`,
  );
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
