import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import type { Account } from "./debian-programs.ts";

export interface ChildProgram {
  readonly pid: number;
  /** The end of its output, for the message of a failed test. */
  log(): string;
  /** Resolves once the program has ended. */
  kill(): Promise<void>;
}

export interface ChildProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly account: Account | undefined;
  readonly folder: string;
  readonly logFile: string;
}

/** A program that writes to a file and runs until the test kills it. */
export async function startProgram(options: ChildProgramOptions): Promise<ChildProgram> {
  const { command, args, env, account, folder, logFile } = options;
  const output = openSync(logFile, "a");
  const child = spawn(command, args, {
    cwd: folder,
    // Settings for other servers on this machine must not reach the program.
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder, LC_ALL: "C.UTF-8", ...env },
    stdio: ["ignore", output, output],
    ...account,
  });
  closeSync(output);
  const exited = once(child, "exit");
  exited.catch(() => {});
  await once(child, "spawn");
  return {
    pid: child.pid!,
    log: () => readFileSync(logFile, "utf8").split("\n").slice(-40).join("\n"),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
