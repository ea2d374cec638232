import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

const anyPort = join(import.meta.dirname, "any-port.mjs");

export interface GuideProgram {
  /** The next line that it prints. */
  nextLine(): Promise<string>;
  /** What it has written to stderr so far. */
  complaints(): string;
}

export interface GuideServer extends GuideProgram {
  readonly url: string;
}

/** Runs a file of a guide that listens, and answers once it does. */
export async function runGuide(
  folder: string,
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<GuideServer> {
  const { child, ended, nextLine, complaints } = startGuide(folder, file, env);
  const [port] = (await Promise.race([
    once(child, "message"),
    ended.then(([code]) =>
      Promise.reject(new Error(`${file} ended with ${code}: ${complaints()}`)),
    ),
  ])) as [number];
  return { url: `http://127.0.0.1:${port}`, nextLine, complaints };
}

/** Runs a file of a guide as its reader would, in a process of its own, until the test ends. */
export function startGuide(
  folder: string,
  file: string,
  env: Readonly<Record<string, string>>,
): GuideProgram & { readonly child: ChildProcess; readonly ended: Promise<[number | null]> } {
  const child = spawn(process.execPath, ["--import", anyPort, file], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let complaints = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const ended = once(child, "exit") as Promise<[number | null]>;
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  return {
    child,
    ended,
    nextLine: async () => (await lines.next()).value ?? "nothing more",
    complaints: () => complaints,
  };
}

/** What a host of Workers does: it passes on each request, with the environment. */
export function addHost(folder: string, file: string): string {
  const host = `
    import { serve } from "@hono/node-server";
    import worker from "./${file}";
    serve({ fetch: (request) => worker.fetch(request, process.env), port: 8787 });
  `;
  writeFileSync(join(folder, "host.ts"), host);
  return "host.ts";
}

/** What Next.js does with a route, and with a page of `pages/api`. */
export function addNextHost(folder: string): string {
  const host = `
    import { createServer } from "node:http";
    import { serve } from "@hono/node-server";
    import { POST } from "./app/api/hook/route.ts";
    import page from "./pages/api/hook.ts";
    if (process.env["ROUTER"] === "pages") createServer(page).listen(3000);
    else serve({ fetch: (request) => POST(request), port: 3000 });
  `;
  writeFileSync(join(folder, "host.ts"), host);
  return "host.ts";
}
