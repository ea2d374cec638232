import { chromium, type Browser } from "playwright-core";
import { browserWays, type BrowserWay } from "./browser-ways.ts";

const advice =
  "The tests of the console need Chromium, and none starts here: run `sudo apt-get install chromium`, or set CHROMIUM_PATH to one.";

/** A real Chromium, by the first way that leads to one. */
export async function openBrowser(): Promise<Browser> {
  const failures: unknown[] = [];
  for await (const way of browserWays()) {
    try {
      return await launch(way);
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `${advice} ${failures.map(firstLine).join(" ")}`.trim());
}

function firstLine(failure: unknown): string {
  return String(failure).split("\n", 1)[0]!;
}

/** Some browsers start and then show no page, so it counts only when it has shown one. */
async function launch({ executablePath, args = [], env = {} }: BrowserWay): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    timeout: 120_000,
    // Containers have no user namespaces for the sandbox, and little shared memory. Every page here is our own.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", ...args],
    env: { ...process.env, ...env },
  });
  try {
    await (await browser.newPage()).close();
    return browser;
  } catch (error) {
    await browser.close();
    throw error;
  }
}
