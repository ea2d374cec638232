import type { Settings } from "../config/settings.ts";

type Where = Pick<Settings, "host" | "port" | "dataDir">;

/** Why the server did not start, in one sentence that says what to do. */
export function startFailure(error: unknown, where: Where): string {
  if (!(error instanceof Error)) return `Cannot start: ${String(error)}`;
  return explain(codeOf(error), where) ?? `Cannot start: ${error.message}`;
}

/** Errors that crossed a thread keep their code only at the front of the message. */
function codeOf(error: NodeJS.ErrnoException): string | undefined {
  return error.code ?? /^(E[A-Z]+):/.exec(error.message)?.[1];
}

function explain(code: string | undefined, { host, port, dataDir }: Where): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use. Stop what listens there, or choose another with --port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${host} is not an address of this machine. Choose another with --host.`;
    case "EACCES":
    case "EPERM":
      return port > 0 && port < 1024
        ? `Cannot listen on port ${port} or write to ${dataDir}: permission denied. Choose others with --port and --data-dir.`
        : unwritable(dataDir, "permission denied");
    case "EROFS":
      return unwritable(dataDir, "the file system is read-only");
    case "ENOTDIR":
    case "EEXIST":
      return unwritable(dataDir, "it is not a directory");
    case "ENOSPC":
      return unwritable(dataDir, "the disk is full");
    default:
      return undefined;
  }
}

function unwritable(dataDir: string, reason: string): string {
  return `Cannot use the data directory ${dataDir}: ${reason}. Choose another with --data-dir.`;
}
