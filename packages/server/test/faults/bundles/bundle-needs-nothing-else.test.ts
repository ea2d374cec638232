import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { builtFolder } from "../../../../console/build/source-stamp.js";
import { freshClone } from "../../support/packed-packages.ts";

const run = promisify(execFile);
const buildConsole = join(import.meta.dirname, "../../../../console/build/build-if-changed.js");

test("deploy/bundle.sh makes what the systemd unit starts, and it runs where there is neither npm nor Node.js", async () => {
  const place = mkdtempSync(join(tmpdir(), "postdate-bundle-"));
  // Ten thousand files, and a busy machine.
  onTestFinished(() => rm(place, { recursive: true }), 120_000);
  const clone = freshClone(place);
  // Building the console needs a tree whose dependencies are no link.
  await run(process.execPath, [buildConsole, "--or-fail"]);
  cpSync(builtFolder, join(clone, "packages/server/dist-console"), { recursive: true });
  const { stdout } = await run(join(clone, "deploy/bundle.sh"), { cwd: place });
  await run("tar", ["-xzf", stdout.trim().split("\n").at(-1)!], { cwd: place });

  const unit = readFileSync(join(clone, "deploy/postdate.service"), "utf8");
  const started = /^ExecStart=(.*)$/m.exec(unit)![1]!.split(" ");
  const [program, ...args] = started.map((word) => word.replace("/opt/postdate", "./postdate"));
  expect(existsSync(join(place, program!))).toBe(true);
  const bare = { PATH: "/usr/bin:/bin", HOME: place, POSTDATE_PORT: "0" };
  const { stdout: version } = await run(join(place, "postdate/bin/postdate"), ["--version"], {
    env: { ...bare, PATH: "/bin" },
  });
  const manifest = JSON.parse(readFileSync(join(clone, "packages/server/package.json"), "utf8"));
  expect(version.trim()).toBe(manifest.version);

  const server = spawn(program!, args, {
    cwd: place,
    env: bare,
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [line] = await once(createInterface(server.stdout), "line");
  const { url } = JSON.parse(String(line)) as { readonly url: string };
  // The console is part of the package.
  for (const path of ["/readyz", "/console", "/docs"]) {
    expect((await fetch(`${url}${path}`)).status, path).toBe(200);
  }
  server.kill("SIGTERM");
  expect(await once(server, "exit")).toEqual([0, null]);
}, 600_000);
