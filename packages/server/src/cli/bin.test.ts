import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const bin = fileURLToPath(new URL("../../bin", import.meta.url));
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "postdate-"));
  cpSync(bin, join(home, "bin"), { recursive: true });
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
  return runWith({ nodeOptions, args: ["one", "two"] });
}

function runWith({
  nodeOptions = [],
  args,
  env = {},
}: {
  readonly nodeOptions?: readonly string[];
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}): Promise<Ran> {
  return new Promise((resolve) => {
    const argv = [...nodeOptions, join(home, "bin/postdate.js"), ...args];
    const options = { env: { ...process.env, ...env } };
    execFile(process.execPath, argv, options, (error, stdout, stderr) => {
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

describe("the young generation of a server's heap", () => {
  const semiSpaces = (ran: Ran): string[] =>
    (JSON.parse(ran.stdout) as string[]).filter((flag) => flag.includes("semi"));
  beforeEach(() => {
    const told = "[...process.execArgv, process.env.NODE_OPTIONS ?? '', ...process.argv.slice(2)]";
    put("src/app/main.ts", `console.log(JSON.stringify(${told}))`);
  });

  test.skipIf(process.platform === "win32")("is small, and other flags stay", async () => {
    for (const command of ["serve", "dev"]) {
      const ran = await runWith({ nodeOptions: ["--no-warnings"], args: [command, "--port", "0"] });
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(semiSpaces(ran)).toEqual([
        expect.stringMatching(/^--max-semi-space-size=(?:4|8|16)$/),
      ]);
      expect(JSON.parse(ran.stdout)).toEqual(
        expect.arrayContaining(["--no-warnings", command, "--port", "0"]),
      );
    }
  });

  test("is what the operator has set", async () => {
    const byFlag = await runWith({ nodeOptions: ["--max-semi-space-size=32"], args: ["serve"] });
    expect(semiSpaces(byFlag)).toEqual(["--max-semi-space-size=32"]);
    const NODE_OPTIONS = "--max_semi_space_size=16";
    const byEnvironment = await runWith({ args: ["serve"], env: { NODE_OPTIONS } });
    expect(semiSpaces(byEnvironment)).toEqual([NODE_OPTIONS]);
  });

  test("does not matter to a command that ends at once", async () => {
    expect(semiSpaces(await runWith({ args: ["list"] }))).toEqual([]);
  });
});
