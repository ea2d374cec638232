import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshClone, packWorkspace } from "../../server/test/support/packed-packages.ts";
import type { PackedPackage } from "../../server/test/support/packed-packages.ts";
import { entryName } from "../package.config.ts";
import manifest from "../package.json" with { type: "json" };
import { consumers } from "./support/consumers.ts";

const root = join(import.meta.dirname, "../../..");
const bin = join(root, "node_modules/.bin");
const place = mkdtempSync(join(tmpdir(), "postdate-client-"));
const project = join(place, "project");
const installed = join(project, "node_modules/@postdate/client");
const entries = Object.keys(manifest.exports).map(entryName);
let packed: PackedPackage;
let clone: string;

const read = (path: string): string => readFileSync(join(installed, path), "utf8");

/** What a program with these entries loads after its bundler has minified it. */
async function minified(subpaths: readonly string[]): Promise<string> {
  const input = join(project, "program.js");
  const names = subpaths.map((subpath) => join("@postdate/client", subpath));
  writeFileSync(input, names.map((name) => `export * from "${name}";\n`).join(""));
  const bundle = await rolldown({ input, platform: "neutral", external: /^node:/ });
  const { output } = await bundle.generate({ format: "esm", minify: true, comments: false });
  await bundle.close();
  expect(output).toHaveLength(1);
  return output[0].code;
}

/** In the empty folder of somebody who has just installed the package. */
function run(command: string, ...args: string[]): string {
  try {
    return execFileSync(command, args, { cwd: project, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return expect.fail(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`);
  }
}

beforeAll(() => {
  clone = freshClone(place);
  packed = packWorkspace(clone, "@postdate/client", place);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  // It has no dependencies, so npm needs nobody else.
  run("npm", "install", "--offline", "--no-audit", "--no-fund", packed.tarball);
}, 240_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe("the package", () => {
  test("has what was built, and not the source", () => {
    expect(packed.files).toEqual(
      expect.arrayContaining(["LICENSE", "README.md", "package.json", "dist/webhook.js"]),
    );
    const source = packed.files.filter((path) => /(?<!\.d)\.ts$|^src|test/.test(path));
    expect(source).toEqual([]);
    expect(read("LICENSE")).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
  });

  test("says what it is, and needs nothing", () => {
    const published = JSON.parse(read("package.json")) as Record<string, unknown>;
    expect(published).toMatchObject({
      name: "@postdate/client",
      license: "Apache-2.0",
      sideEffects: false,
      type: "module",
      repository: { url: "git+https://github.com/postdate/postdate.git" },
    });
    expect(Object.keys(published)).not.toContainEqual(
      expect.stringMatching(/ependencies$|^scripts$/),
    );
  });

  test("packing leaves the checkout as it was", () => {
    const packages = join(clone, "packages/client");
    expect(readFileSync(join(packages, "package.json"), "utf8")).toBe(
      readFileSync(join(import.meta.dirname, "../package.json"), "utf8"),
    );
    expect(existsSync(join(packages, "package.source.json"))).toBe(false);
  });

  test("publint finds nothing", async () => {
    const { buffer } = new Uint8Array(readFileSync(packed.tarball));
    const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
    expect(pkg["name"]).toBe("@postdate/client");
  });

  test("are the types wrong? They are not", () => {
    const report = run(
      join(bin, "attw"),
      packed.tarball,
      "--profile",
      "esm-only",
      "--format",
      "json",
    );
    const { analysis } = JSON.parse(report) as { analysis: { entrypoints: object } };
    expect(Object.keys(analysis.entrypoints)).toEqual([
      ...Object.keys(manifest.exports),
      "./package.json",
    ]);
  });
});

describe("what was built", () => {
  const importsOf = (text: string): string[] =>
    [
      ...text.replaceAll(/^\s*\*.*$/gm, "").matchAll(/\b(?:from|import)\s*\(?["'`]([^"'`]+)["'`]/g),
    ].map(([, name]) => name!);

  test.each([
    ["/webhook", 2, ["./webhook"]],
    ["everything", 10.75, Object.keys(manifest.exports)],
  ])(
    "%s is at most %s KB in a program that is minified, when gzipped",
    async (_, most, subpaths) => {
      const code = await minified(subpaths);
      expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(most * 1_024);
    },
  );

  test("errors keep their names in a program that is minified", async () => {
    writeFileSync(join(project, "minified.js"), await minified([".", "./webhook"]));
    writeFileSync(
      join(project, "names.js"),
      `import * as all from "./minified.js";
      const errors = [new all.InputError(), new all.TimeoutError(1), new all.PostdateError(), new all.Reject(),
        new all.RetryLater(1), new all.VerificationError("no-match", ""), new all.ConnectionError("", {}),
        new all.ApiError({ errors: [] })];
      console.log(errors.map(({ name }) => name).join());`,
    );
    expect(run(process.execPath, "names.js")).toBe(
      "InputError,TimeoutError,PostdateError,Reject,RetryLater,VerificationError,ConnectionError,ApiError\n",
    );
  });

  test("an error that nobody catches shows its name, the line and the way there", () => {
    writeFileSync(
      join(project, "uncaught.js"),
      `import { Postdate } from "@postdate/client";
      async function remind() {
        await new Postdate({ key: "k" }).messages.schedule({ targetId: "t", payload: "" });
      }
      await remind();`,
    );
    const { stderr } = spawnSync(process.execPath, ["uncaught.js"], {
      cwd: project,
      encoding: "utf8",
    });
    expect(stderr).toMatch(/^InputError: Say when/m);
    expect(stderr).toMatch(/at readTime \(.*client.dist.index\.js:\d+:\d+\)/);
    expect(stderr).toMatch(/at (?:async )?remind /);
    expect(Math.max(...stderr.split("\n").map(({ length }) => length))).toBeLessThan(300);
  });

  test("/webhook imports the class of all errors alone, and /node what Node.js has besides", () => {
    expect(importsOf(read("dist/webhook.js"))).toEqual(["./errors.js"]);
    expect(importsOf(read("dist/errors.js"))).toEqual([]);
    const others = importsOf(read("dist/node.js")).filter((name) => !name.startsWith("node:"));
    expect(new Set(others)).toEqual(new Set(["./webhook.js"]));
  });

  test("the types import nothing that is not in the package", () => {
    const types = packed.files.filter((path) => path.endsWith(".d.ts"));
    expect(types.length).toBeGreaterThan(entries.length);
    for (const path of types) {
      const strange = importsOf(read(path)).filter(
        (name) => !/^(?:\.{1,2}\/.*\.js|node:\w+)$/.test(name),
      );
      expect(strange, path).toEqual([]);
    }
  });
});

describe("somebody who has installed it", () => {
  test.each(consumers)("$name", ({ file, source, compilerOptions }) => {
    writeFileSync(join(project, file), source);
    const config = `tsconfig.${file}.json`;
    const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true };
    writeFileSync(
      join(project, config),
      JSON.stringify({ compilerOptions: { ...strict, ...compilerOptions }, files: [file] }),
    );
    run(join(bin, "tsc"), "--project", config);
    expect(run(process.execPath, file)).toBe("verified: hello\n");
  });
});

test.each(["cyclonedx", "spdx"])("npm lists what is in the packages (%s)", (format) => {
  const sbom = (workspace: string): string =>
    execFileSync("npm", ["sbom", "--sbom-format", format, "--omit", "dev", "-w", workspace], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 * 1_024 * 1_024,
    });
  expect(JSON.stringify(JSON.parse(sbom("postdate")))).toContain("fastify");
  const client = JSON.stringify(JSON.parse(sbom("@postdate/client")));
  expect(client).toContain("@postdate/client");
  expect(client).not.toContain("fastify");
});
