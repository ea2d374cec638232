import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const here = import.meta.dirname;
export const key = "pd_key_for_benchmarks_only";

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** The server as a user starts it, in a process and a folder of its own. */
export async function startServer(databaseUrl: string | null): Promise<BenchServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "postdate-bench-"));
  const bin = join(here, "../packages/server/bin/postdate.js");
  const child = spawn(
    process.execPath,
    [
      bin,
      "serve",
      "--port",
      "0",
      "--data-dir",
      dataDir,
      "--allow-cidr",
      "127.0.0.0/8",
      "--log-level",
      "warn",
    ],
    {
      env: {
        ...process.env,
        POSTDATE_ROOT_KEY: key,
        ...(databaseUrl === null
          ? {}
          : { POSTDATE_DATABASE_URL: databaseUrl, POSTDATE_ENCRYPTION_KEY: "ab".repeat(32) }),
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  // A benchmark that is broken off must not leave its server behind.
  process.once("exit", () => child.kill());
  const exited = once(child, "exit");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    url: line.split(" ").at(-1)!,
    pid: child.pid!,
    async close() {
      child.kill("SIGTERM");
      await exited;
      await rm(dataDir, { recursive: true });
    },
  };
}

export interface BenchReceiver {
  readonly url: string;
  /** When each message arrived, by its id; grows while messages come in. */
  readonly arrivals: ReadonlyMap<string, number>;
  arrived(count: number, withinMs: number): Promise<void>;
  close(): void;
}

export async function startReceiver(): Promise<BenchReceiver> {
  const child = fork(join(here, "receiver.ts"));
  const arrivals = new Map<string, number>();
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  child.on("message", (message: { arrivals?: [string, number][] }) => {
    for (const [messageId, at] of message.arrivals ?? []) arrivals.set(messageId, at);
    child.emit("arrivals");
  });
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    async arrived(count, withinMs) {
      const signal = AbortSignal.timeout(withinMs);
      while (arrivals.size < count) await once(child, "arrivals", { signal });
    },
    close: () => child.disconnect(),
  };
}

export async function call(
  url: string,
  path: string,
  body: unknown,
): Promise<{ messageId: string }> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { messageId: string };
}
