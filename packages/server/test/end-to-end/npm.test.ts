import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtConsole } from "../../../console/test/support/built-console.ts";
import { startNpm, type NpmProcess } from "./support/npm-process.ts";

/** npm itself takes seconds to start on a busy machine. */
const patiently = 120_000;

// Otherwise the first start would build it.
beforeAll(builtConsole);

let dataDir: string;
let npm: NpmProcess | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-npm-"));
  npm = undefined;
});
afterEach(() => {
  if (npm !== undefined) endGroup(npm.pid);
  rmSync(dataDir, { recursive: true, force: true });
});

/** Ends what a failed test has left behind, so that it does not outlive the run. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const serverArgs = (): string[] => ["--port", "0", "--data-dir", dataDir, "--log-format", "json"];

async function expectGracefulStop({ allEnded, output }: NpmProcess): Promise<void> {
  await allEnded;
  expect(output()).toContain('"msg":"stopped"');
}

describe("npm start", () => {
  test.each([
    ["SIGTERM to npm", "SIGTERM", 1],
    ["SIGINT to npm", "SIGINT", 1],
    ["SIGTERM to the whole group, as a supervisor sends it", "SIGTERM", -1],
    ["SIGINT to the whole group, as Ctrl-C in a terminal sends it", "SIGINT", -1],
  ] as const)(
    "%s stops the server gracefully, and npm waits for it",
    async (_what, signal, sign) => {
      npm = await startNpm(["start", "--", ...serverArgs()]);
      process.kill(sign * npm.pid, signal);
      expect(await npm.exited).toBe(0);
      await expectGracefulStop(npm);
    },
    patiently,
  );

  test(
    "a server ends when its npm was killed",
    async () => {
      npm = await startNpm(["start", "--", ...serverArgs()]);
      process.kill(npm.pid, "SIGKILL");
      await expectGracefulStop(npm);
    },
    patiently,
  );
});

test(
  "npm in the background continues when the shell that started it has ended",
  async () => {
    npm = await startNpm(["start", "--", ...serverArgs()], {}, ["sh", "-c", 'nohup "$@" &', "sh"]);
    expect(await npm.exited).toBe(0);
    // Longer than the server needs to notice that npm has ended.
    const until = performance.now() + 2_000;
    do expect((await fetch(`${npm.url}/readyz`)).status).toBe(200);
    while (performance.now() < until);
    process.kill(-npm.pid, "SIGTERM");
    await expectGracefulStop(npm);
  },
  patiently,
);

describe("npm run dev", () => {
  test.each([1, -1])(
    "SIGTERM stops it gracefully",
    async (sign) => {
      npm = await startNpm([
        "run",
        "dev",
        "--",
        ...[...serverArgs(), "--receiver-port", "0", "--log-level", "info"],
      ]);
      process.kill(sign * npm.pid, "SIGTERM");
      expect(await npm.exited).toBe(0);
      await expectGracefulStop(npm);
    },
    patiently,
  );
});

// npx builds the command line itself. Its shell stays between npm and the server, unless it is bash.
describe("npx postdate serve", () => {
  const command = ["exec", "--no", "--", "postdate", "serve"];

  test.each([
    ["SIGTERM to npm", "sh", "SIGTERM", 1],
    ["SIGTERM to npm", "bash", "SIGTERM", 1],
    ["Ctrl-C", "sh", "SIGINT", -1],
    ["Ctrl-C", "bash", "SIGINT", -1],
  ] as const)(
    "%s with %s as the shell leaves no server behind",
    async (_what, shell, signal, sign) => {
      npm = await startNpm([...command, ...serverArgs()], { npm_config_script_shell: shell });
      process.kill(sign * npm.pid, signal);
      await expectGracefulStop(npm);
    },
    patiently,
  );
});
