import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const packages = join(import.meta.dirname, "../..");
let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "postdate-console-build-"));
});
afterEach(() => rmSync(checkout, { recursive: true }));

/** Runs what comes before a start, in a checkout that has the sources and no dependency to build them with. */
function buildIfChanged(...args: readonly string[]) {
  for (const folder of ["console/build", "client/src"])
    cpSync(join(packages, folder), join(checkout, "packages", folder), { recursive: true });
  mkdirSync(join(checkout, "packages/server"), { recursive: true });
  writeFileSync(join(checkout, "package-lock.json"), "{}");
  writeFileSync(join(checkout, "package.json"), '{"type":"module"}');
  const program = join(checkout, "packages/console/build/build-if-changed.js");
  return spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
}

test("a console that cannot be built is told, and does not stop a start", () => {
  const { status, stderr, stdout } = buildIfChanged();
  expect(stderr).toMatch(/^Building the console.*\n/);
  expect(stderr).toMatch(/\nThe console could not be built\.\n$/);
  expect([status, stdout]).toEqual([0, ""]);
});

test("where the console is wanted, it is a failure", () => {
  expect(buildIfChanged("--or-fail").status).toBe(1);
});
