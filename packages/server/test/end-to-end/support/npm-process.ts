import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { rootKey } from "../../support/server-process.ts";

const root = join(import.meta.dirname, "../../../../..");

export interface NpmProcess {
  /** The pid of npm itself, which is also the id of its process group. */
  readonly pid: number;
  readonly url: string;
  /** Everything that npm and the server have printed so far. */
  readonly output: () => string;
  /** npm's exit code, or the signal that ended it. */
  readonly exited: Promise<number | string | null>;
  /** Resolves when every process that npm started has ended. The last one closes the pipes. */
  readonly allEnded: Promise<void>;
}

/** A real npm that runs the server. It leads a process group, like a job of an interactive shell. */
export async function startNpm(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  /** A command that runs the command after it. */
  within: readonly string[] = [],
): Promise<NpmProcess> {
  const [program, ...rest] = [...within, "npm", ...args] as [string, ...string[]];
  const npm = spawn(program, rest, {
    cwd: root,
    detached: true,
    env: { ...process.env, POSTDATE_ROOT_KEY: rootKey, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const exited = (once(npm, "exit") as Promise<[number | null, string | null]>).then(
    ([code, signal]) => code ?? signal,
  );
  const allEnded = once(npm, "close").then(() => {});
  npm.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(npm.stdout).on("line", (line) => {
      output += `${line}\n`;
      const ready = /ready on (\S+)/.exec(line);
      if (ready) resolve(ready[1]!);
    });
    void allEnded.then(() => reject(new Error(`ended before it was ready:\n${output}`)));
  });
  return { pid: npm.pid!, url, output: () => output, exited, allEnded };
}
