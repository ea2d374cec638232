import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { postdateBin } from "../../support/postdate-bin.ts";

export interface CommandRun {
  readonly process: ChildProcess;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Runs `postdate …` in a separate process. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): CommandRun {
  const child = spawn(process.execPath, [postdateBin, ...args], {
    // Whoever runs the tests may have profiles of their own.
    env: { ...process.env, NO_COLOR: "1", XDG_CONFIG_HOME: "/nowhere", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = (once(child, "close") as Promise<[number | null]>).then(([code]) => ({
    code,
    stdout,
    stderr,
  }));
  return { process: child, ended };
}
