import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const bin = join(import.meta.dirname, "../../bin/postdate.js");

export const rootKey = "pd_root_key_of_the_test_suite";

export interface ServerProcess {
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything it has written so far. */
  readonly output: () => string;
  /** Ends it without a chance to tidy up. */
  kill(): Promise<void>;
  /** Ends it as an operator would; answers with the exit code. */
  stop(): Promise<number | null>;
}

export interface ServerProcessOptions {
  readonly dataDir: string;
  readonly args?: readonly string[];
  /** A command that runs the one that follows it, in surroundings of its own. */
  readonly within?: readonly string[];
  /** Where it may deliver to besides public addresses; loopback unless told otherwise. */
  readonly allowCidr?: string;
  /** On top of our own; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A real server in a process of its own, as `npm start` runs it, on a port of its own. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const [program, ...before] = [...(options.within ?? []), process.execPath];
  const child = spawn(
    program,
    [
      ...before,
      bin,
      "serve",
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
        // A server that shares the machine with other tests is late for reasons of theirs.
        POSTDATE_MAX_LOOP_DELAY: "1h",
        // The suites start dozens of servers: none needs to compile the same source again.
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
