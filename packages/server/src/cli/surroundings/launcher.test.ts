import { describe, expect, test } from "vitest";
import { findLauncher, systemProcesses, type Processes } from "./launcher.ts";

const found = (script: string | undefined): boolean =>
  findLauncher({ npm_lifecycle_script: script }, systemProcesses) !== null;

test.each([
  "exec node packages/server/bin/postdate.js serve",
  "node packages/server/bin/postdate.js dev",
  "node --max-old-space-size=512 ./node_modules/postdate/bin/postdate.js serve",
  "'postdate'",
  '"postdate"',
  "postdate serve --port 8080",
  "POSTDATE_PORT=8080 postdate serve",
  "exec postdate serve",
  "node_modules/.bin/postdate serve",
])("npm that runs %j is the launcher", (script) => {
  expect(found(script)).toBe(true);
});

test.each([
  undefined,
  "",
  "vitest run",
  "postdate serve &",
  "postdate serve > log 2>&1 &",
  "nohup postdate serve",
  "setsid postdate serve",
  "node run-postdate-in-the-background.js",
  "node /srv/postdate/start-all.js",
  "pm2 start postdate",
  "concurrently 'postdate serve' 'vite'",
])("npm that runs %j is not the launcher: the server may be meant to outlive it", (script) => {
  expect(found(script)).toBe(false);
});

describe("the launcher has ended", () => {
  const env = { npm_lifecycle_script: "postdate serve" };

  test("on Linux and macOS when another process has become the parent", () => {
    let parentId = 100;
    const processes: Processes = {
      platform: "darwin",
      parentId: () => parentId,
      isAlive: () => expect.fail("ids are used again"),
    };
    const launcher = findLauncher(env, processes)!;
    expect(launcher.hasEnded()).toBe(false);
    parentId = 1;
    expect(launcher.hasEnded()).toBe(true);
  });

  test("on Windows, where the parent's id stays, when nothing has that id", () => {
    const alive = new Set([100]);
    const processes: Processes = {
      platform: "win32",
      parentId: () => 100,
      isAlive: (processId) => alive.has(processId),
    };
    const launcher = findLauncher(env, processes)!;
    expect(launcher.hasEnded()).toBe(false);
    alive.delete(100);
    expect(launcher.hasEnded()).toBe(true);
  });

  test("the first process of a container may be the launcher", () => {
    const processes = { platform: "linux", parentId: () => 1, isAlive: () => true } as const;
    expect(findLauncher(env, processes)!.hasEnded()).toBe(false);
  });

  test("the operating system says which processes are alive", () => {
    expect(systemProcesses.isAlive(process.pid)).toBe(true);
    expect(systemProcesses.isAlive(2 ** 30)).toBe(false);
  });
});
