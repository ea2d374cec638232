import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const place = mkdtempSync(join(tmpdir(), "postdate-package-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Builds and packs the package, and lays it out as an install would: no source, no workspace. */
function install(): string {
  execFileSync("npm", ["run", "build"], { cwd: root, stdio: "pipe" });
  const [packed] = JSON.parse(
    execFileSync(
      "npm",
      ["pack", "--json", "--workspace", "postdate", "--pack-destination", place],
      {
        cwd: root,
        encoding: "utf8",
        stdio: "pipe",
      },
    ),
  ) as [{ filename: string; files: { path: string }[] }];
  expect(packed.files.map(({ path }) => path)).not.toContainEqual(expect.stringMatching(/\.ts$/));

  for (const store of ["sqlite", "postgres"]) {
    expect(packed.files.map(({ path }) => path)).toContain(
      `dist/storage/${store}/migrations/0001_initial.sql`,
    );
  }

  const modules = join(place, "node_modules");
  const target = join(modules, "postdate");
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", join(place, packed.filename), "-C", target, "--strip-components=1"]);
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name === "postdate" || name === "@postdate" || name.startsWith(".")) continue;
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  return join(target, "bin/postdate.js");
}

test("the published package serves, without the source", async () => {
  const bin = install();
  const args = [bin, "serve", "--port", "0", "--data-dir", join(place, "data")];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(server, "exit");
  let log = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  void exited.then(() => server.stdout.destroy());
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  expect(line, log).toMatch(/^Postdate is ready on http:\/\/127\.0\.0\.1:\d+$/);
  const url = line.split(" ").at(-1)!;
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { openapi: string };
  expect(document.openapi).toMatch(/^3\.1/);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  server.kill("SIGTERM");
  expect((await exited)[0]).toBe(0);
}, 60_000);
