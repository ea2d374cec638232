import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { postdateBin, sourceBin } from "./postdate-bin.ts";

export const rootKey = "pd_root_key_of_the_test_suite";
export const operatorKey = "pdo_operator_of_the_test_suite";

export interface ServerProcess {
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything that the process has printed so far. */
  readonly output: () => string;
  /** Kills the process without a chance to clean up. */
  kill(): Promise<void>;
  /** Stops the process as an operator would. Returns its exit code. */
  stop(): Promise<number | null>;
}

export interface ServerProcessOptions {
  readonly dataDir: string;
  readonly command?: "serve" | "dev";
  readonly args?: readonly string[];
  /** A command that runs the command after it in a changed environment. */
  readonly within?: readonly string[];
  /** Where the server may deliver to besides public addresses. The default is loopback. */
  readonly allowCidr?: string;
  /** The program to start. The default is this version's. */
  readonly program?: string | undefined;
  /** Added to the environment of this process. Undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A real server in a separate process, started as `npm start` does, on its own port. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const [program, ...before] = [...(options.within ?? []), process.execPath];
  const child = spawn(
    program,
    [
      ...before,
      options.program ?? (options.env?.["SEEDED_BUG"] === undefined ? postdateBin : sourceBin),
      options.command ?? "serve",
      "--port",
      "0",
      "--data-dir",
      options.dataDir,
      "--allow-cidr",
      options.allowCidr ?? "127.0.0.0/8",
      ...(options.args ?? []),
    ],
    {
      env: {
        ...process.env,
        POSTDATE_ROOT_KEY: rootKey,
        NO_COLOR: "1",
        // Other tests on the machine delay the server, and it must not refuse calls because of them.
        POSTDATE_MAX_LOOP_DELAY: "1h",
        // The suites start dozens of servers, which share one compile cache.
        NODE_COMPILE_CACHE: join(tmpdir(), "postdate-test-compile-cache"),
        ...options.env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const exited = once(child, "exit") as Promise<[number | null]>;
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      output += `${line}\n`;
      const ready = /ready on (\S+)/.exec(line);
      if (ready) resolve(ready[1]!);
    });
    void exited.then(([code]) =>
      reject(new Error(`ended with ${code} before it was ready:\n${output}`)),
    );
  });
  return {
    url,
    process: child,
    output: () => output,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      const [code] = await exited;
      return code;
    },
  };
}

export interface DataDir extends AsyncDisposable {
  readonly path: string;
}

export async function makeDataDir(): Promise<DataDir> {
  const path = await mkdtemp(join(tmpdir(), "postdate-test-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
