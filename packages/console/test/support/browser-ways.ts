import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** How to start a browser. */
export interface BrowserWay {
  readonly executablePath: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Where systems keep a browser of this kind. */
const places = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The one that is named and no other, or those of the system, the one that a package of npm carries, and Debian's, which it fetches. */
export async function* browserWays(): AsyncGenerator<BrowserWay> {
  const named = process.env["CHROMIUM_PATH"];
  if (named !== undefined) {
    yield { executablePath: named };
    return;
  }
  yield* ofSystem();
  if (process.platform === "linux") {
    if (process.arch === "x64") yield* carried();
    await fetchDebians();
    yield* ofSystem();
  }
}

function* ofSystem(): Generator<BrowserWay> {
  for (const executablePath of places) if (existsSync(executablePath)) yield { executablePath };
}

/** `@sparticuz/chromium` has a browser for x64, and libraries for machines that lack those of a desktop. */
async function* carried(): AsyncGenerator<BrowserWay> {
  const { default: chromium, inflate } = await import("@sparticuz/chromium");
  const executablePath = await chromium.executablePath();
  yield { executablePath };
  const files = join(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))), "../bin");
  const libraries = await inflate(join(files, "al2023.tar.br"));
  const env = { LD_LIBRARY_PATH: join(libraries, "lib") };
  yield { executablePath, env };
  yield { executablePath, env, args: ["--single-process", "--no-zygote"] };
}

/** Installs Debian's browser where this process may. */
async function fetchDebians(): Promise<void> {
  const before = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "--yes", "--no-install-recommends", "chromium"]]) {
    const [program, ...rest] = [...before, "apt-get", ...args] as [string, ...string[]];
    try {
      await promisify(execFile)(program, rest, { env });
    } catch {
      // It may not, or there is no apt-get. Whether a browser is there now is what counts.
    }
  }
}
