import { networkTrouble } from "./network-trouble.ts";

/** What is wrong with a data folder, in a few words; undefined if the error is about something else. */
export function folderTrouble(error: Error): string | undefined {
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "EROFS":
      return "the file system is read-only";
    case "ENOTDIR":
    case "EEXIST":
      return "it is not a directory";
    case "ENOENT":
      return "it cannot be created";
    case "ENOSPC":
      return "the disk is full";
    default:
      return folderTroubles.find(([said]) => said.test(error.message))?.[1];
  }
}

/** An error that crossed a thread has its code only at the start of its message. */
export function codeOf(error: NodeJS.ErrnoException): string | undefined {
  return /^E[A-Z]+$/.test(error.code ?? "") ? error.code : /^(E[A-Z]+):/.exec(error.message)?.[1];
}

/** SQLite's messages, because its error number does not cross a thread either. */
const folderTroubles: readonly (readonly [RegExp, string])[] = [
  [
    /file is not a database|disk image is malformed/,
    "its postdate.db is not from Postdate, or damaged (restore a backup)",
  ],
  [/unable to open database file/, "it is not a directory, or its files may not be written"],
  [/readonly database/, "its files may not be written"],
];

/** Why a database cannot be used and what to do; undefined for an unknown error. */
export function databaseTrouble(error: Error): string | undefined {
  const { code } = error as { code?: string };
  const advice =
    code === undefined ? undefined : adviceByState.find(([state]) => state.test(code))?.[1];
  if (advice !== undefined) return `PostgreSQL says: ${error.message}. ${advice}`;
  const unreachable = networkTrouble(error);
  if (unreachable !== undefined) {
    return `PostgreSQL cannot be reached: ${unreachable}. Check that it runs, and the address in the database URL.`;
  }
  return /client password must be a string/.test(error.message)
    ? "PostgreSQL asks for a password, and there is none. Put it in PGPASSWORD, or in the database URL."
    : undefined;
}

const adviceByState: readonly (readonly [RegExp, string])[] = [
  [/^28/, "Correct the user and the password, in the database URL or in PGPASSWORD."],
  [/^3D000$/, "Make it first: createdb --owner=<role> --encoding=UTF8 --template=template0 <name>"],
  [
    /^42501$/,
    "Let the role own the database, or grant it CREATE on the schema and on what is in it.",
  ],
  [/^42P07$/, "Something else has its tables there. Give Postdate a database of its own."],
];
