import type { Settings } from "../../config/settings.ts";
import { codeOf, databaseTrouble, folderTrouble } from "./store-trouble.ts";

type Where = Pick<Settings, "host" | "port" | "dataDir"> & Partial<Pick<Settings, "metricsPort">>;

/** Why the server did not start, in one sentence that says what to do. */
export function startFailure(error: unknown, where: Where): string {
  if (!(error instanceof Error)) return `Cannot start: ${String(error)}`;
  return explain(error, where) ?? `Cannot start: ${databaseTrouble(error) ?? error.message}`;
}

function explain(error: Error, where: Where): string | undefined {
  const { host, port, dataDir } = where;
  switch (codeOf(error)) {
    case "EADDRINUSE":
      if (isAboutMetrics(error, where)) {
        return `Port ${where.metricsPort} for the metrics is in use. Stop what listens there, or choose another with --metrics-port.`;
      }
      return `Port ${port} on ${host} is in use. Stop what listens there, or choose another with --port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${host} is not an address of this machine. Choose another with --host.`;
    case "EACCES":
    case "EPERM":
      if (port > 0 && port < 1024) {
        return `Cannot listen on port ${port} or write to ${dataDir}: permission denied. Choose others with --port and --data-dir.`;
      }
      break;
    default:
  }
  return unusableFolder(error, dataDir);
}

/** The error of a listener tells the port that it could not have. */
function isAboutMetrics(error: Error & { readonly port?: unknown }, where: Where): boolean {
  return typeof error.port === "number" && error.port === where.metricsPort;
}

/** Undefined if the data folder is not the cause. */
export function unusableFolder(error: Error, dataDir: string): string | undefined {
  const reason = folderTrouble(error);
  return reason === undefined
    ? undefined
    : `Cannot use the data directory ${dataDir}: ${reason}. Choose another with --data-dir.`;
}
