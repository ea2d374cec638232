import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const bin = fileURLToPath(new URL("../../bin/postdate.js", import.meta.url));
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "postdate-"));
  cpSync(bin, join(home, "bin/postdate.js"), { recursive: true });
  writeFileSync(join(home, "package.json"), '{"type":"module"}');
});

afterEach(() => rmSync(home, { recursive: true }));

function put(file: string, content: string): void {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), content);
}

interface Ran {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...nodeOptions: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const argv = [...nodeOptions, join(home, "bin/postdate.js"), "one", "two"];
    execFile(process.execPath, argv, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? 1), stdout, stderr });
    });
  });
}

test("an old Node.js prints which version is needed", async () => {
  put("src/app/main.ts", "console.log('ran')");
  const old =
    "Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})";
  const ran = await run("--import", `data:text/javascript,${encodeURIComponent(old)}`);
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toMatch(/needs Node\.js 24 or later; this is 20\.1\.0[^]*nodejs\.org/);
});

test("the source runs if it exists, otherwise the built file", async () => {
  put("dist/app/main.js", "console.log('built', ...process.argv.slice(2))");
  expect(await run()).toEqual({ code: 0, stdout: "built one two\n", stderr: "" });
  put("src/app/main.ts", "const from: string = 'source'; console.log(from)");
  expect(await run()).toEqual({ code: 0, stdout: "source\n", stderr: "" });
});

test("only the two expected warnings are hidden", async () => {
  put(
    "src/app/main.ts",
    `process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
     process.emitWarning("Type Stripping is an experimental feature", { type: "ExperimentalWarning" });
     process.emitWarning("Something else", "ExperimentalWarning");
     process.emitWarning("SQLite is deprecated", "DeprecationWarning");
     process.emitWarning(new Error("an error"));`,
  );
  const { stderr } = await run();
  expect(stderr).not.toMatch(/SQLite is an exp|Type Stripping/);
  expect(stderr).toContain("ExperimentalWarning: Something else");
  expect(stderr).toContain("DeprecationWarning: SQLite is deprecated");
  expect(stderr).toContain("an error");
});
