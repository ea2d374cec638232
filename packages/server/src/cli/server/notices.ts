import { createLogger, isJsonLog } from "../../platform/logger.ts";
import type { LogFormat, Logger } from "../../platform/logger.ts";
import type { ProcessIdentity } from "../../platform/process-identity.ts";
import type { Output } from "../surroundings/surroundings.ts";

/** What a command says while it runs a server. The log level does not affect it. */
export interface Notices {
  /** True: each notice is a line of the JSON log, on stdout too. */
  readonly areJson: boolean;
  ready(url: string, storeName: string): void;
  rootKey(key: string): void;
  rootKeyFile(path: string): void;
  readonly stopping: (line: string) => void;
  warning(line: string): void;
  /** All mistakes that keep a server from starting. */
  mistakes(mistakes: readonly string[]): void;
  failure(lines: readonly string[]): void;
  readonly trouble: (level: "warn" | "fatal", error: unknown) => void;
}

export interface NoticesOptions {
  readonly format: LogFormat;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly identity: ProcessIdentity;
}

export function createNotices({ format, stdout, stderr, identity }: NoticesOptions): Notices {
  if (!isJsonLog(format, stderr)) return plainNotices(stdout, stderr);
  const logTo = (stream: Output): Logger<string> =>
    createLogger<string>({ level: "info", format: "json", stream, identity });
  return jsonNotices(logTo(stdout), logTo(stderr));
}

function plainNotices(stdout: Output, stderr: Output): Notices {
  return {
    areJson: false,
    ready: (url) => void stdout.write(`Postdate is ready on ${url}\n`),
    rootKey: (key) =>
      void stderr.write(
        `Root API key, made at this first start; it will not be shown again:\n\n  ${key}\n\n`,
      ),
    rootKeyFile: (path) =>
      void stderr.write(`The root API key, made at this first start, is in ${path}\n`),
    stopping: (line) => void stderr.write(`${line}\n`),
    warning: (line) => void stderr.write(`Warning: ${line}\n`),
    mistakes: (mistakes) =>
      void stderr.write(["Cannot start:", ...mistakes].join("\n  ").concat("\n")),
    failure: (lines) => void stderr.write(lines.map((line) => `${line}\n`).join("")),
    trouble: () => {},
  };
}

function jsonNotices(ready: Logger<string>, log: Logger<string>): Notices {
  return {
    areJson: true,
    // A word follows the address, so that a search for `ready on (\S+)` finds only the address.
    ready: (url, storeName) => ready.info({ url }, `Postdate is ready on ${url} with ${storeName}`),
    rootKey: (rootKey) =>
      log.warn(
        { rootKey },
        "Root API key, made at this first start; it will not be shown again, but stays in this log",
      ),
    rootKeyFile: (path) =>
      log.info({ path }, "The root API key, made at this first start, is in a file"),
    stopping: (line) => log.info(line),
    warning: (line) => log.warn(line),
    mistakes: (mistakes) => {
      for (const mistake of mistakes) log.fatal(`Cannot start: ${mistake}`);
    },
    failure: (lines) => log.fatal(lines.map((line) => line.trim()).join(" ")),
    trouble: (level, error) =>
      log[level](
        { err: error },
        level === "warn" ? "a warning of Node.js" : "a bug: an error that was not caught",
      ),
  };
}
