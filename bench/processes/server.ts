import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { key } from "./requests.ts";

export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process until it reports that it is ready. */
  readonly readyMs: number;
  isRunning(): boolean;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly dataDir: string;
  /** Null: the embedded store, in the folder. */
  readonly databaseUrl: string | null;
  /** Further flags of the server. */
  readonly settings?: readonly string[];
  /** The folder for a processor profile, which the server writes when it ends. */
  readonly profileDir?: string | undefined;
}

const stopMs = 5_000;
/** The stop at the end, and attempts at targets that refuse everything. */
const expectedLines = /SIGTERM: stopping|"msg":"attempt"/;
const bin = join(import.meta.dirname, "../../packages/server/bin/postdate.js");

/** Starts the server as a user would, in a separate process. */
export async function startServer({
  dataDir,
  databaseUrl,
  settings = [],
  profileDir,
}: ServerOptions): Promise<BenchServer> {
  const from = performance.now();
  const profiling = profileDir === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", profileDir];
  const child = spawn(
    process.execPath,
    [
      ...profiling,
      bin,
      ...["serve", "--port", "0", "--data-dir", dataDir],
      ...["--allow-cidr", "127.0.0.0/8", "--log-level", "warn"],
      ...settings,
    ],
    {
      env: {
        ...process.env,
        POSTDATE_ROOT_KEY: key,
        POSTDATE_ENCRYPTION_KEY: "ab".repeat(32),
        ...(databaseUrl === null ? {} : { POSTDATE_DATABASE_URL: databaseUrl }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  // A benchmark that is interrupted must not leave its server running.
  const endIt = (): void => void child.kill("SIGKILL");
  process.once("exit", endIt);
  const exited = once(child, "exit").then(() => process.off("exit", endIt));
  createInterface(child.stderr).on("line", (line) => {
    if (!expectedLines.test(line)) console.error(line);
  });
  const lines = createInterface(child.stdout);
  const [line] = (await Promise.race([
    once(lines, "line"),
    exited.then(() => Promise.reject(new Error("the server ended before it was ready"))),
  ])) as [string];
  const url = /ready on (\S+)/.exec(line)![1]!;
  const ready = await fetch(`${url}/readyz`);
  if (!ready.ok) throw new Error(`/readyz answered ${ready.status}`);
  return {
    url,
    pid: child.pid!,
    readyMs: performance.now() - from,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill("SIGTERM");
      // The server waits for attempts at a target that hangs. The benchmark does not need them.
      const timer = setTimeout(endIt, stopMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Sends a request beside a measurement. */
export async function postJson(url: string, path: string, body: unknown): Promise<unknown> {
  return callJson(url + path, {
    method: "POST",
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
}

export function getJson(url: string, path: string): Promise<unknown> {
  return callJson(url + path, {});
}

export function deleteJson(url: string, path: string): Promise<unknown> {
  return callJson(url + path, { method: "DELETE" });
}

async function callJson(url: string, request: RequestInit): Promise<unknown> {
  const headers = { ...request.headers, authorization: `Bearer ${key}` };
  const response = await fetch(url, { ...request, headers });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
