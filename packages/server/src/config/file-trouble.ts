const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its links lead in a circle",
  EMFILE: "too many files are open",
  EIO: "the disk reports an error",
};

/** Why a file cannot be read, in a few words. */
export function fileTrouble(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return reasons[(error as NodeJS.ErrnoException).code ?? ""] ?? error.message;
}
