import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const sources = globSync("src/**/*.ts", { cwd: root })
  .filter((path) => !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

const classes = sources.flatMap(({ path, text }) =>
  [...text.matchAll(/\nexport class (\w+)[^\n]*\{\n(.*?)\n\}\n/gs)].map((match) => ({
    path,
    name: match[1]!,
    body: match[2]!,
  })),
);
/** What callers see of the package; other classes are inside. */
const index = sources.find(({ path }) => path === join("src", "index.ts"))!.text;
const rooms = classes.filter(
  ({ name, path }) =>
    new RegExp(`\\b${name}\\b`).test(index) ||
    /^src.(access|accounts|jobs|messages|schedules|stats|targets)./.test(path),
);

test("every method has an example", () => {
  expect(rooms.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "Postdate",
      "Messages",
      "Targets",
      "Jobs",
      "Schedules",
      "Keys",
      "Accounts",
      "PagedList",
    ]),
  );
  let count = 0;
  for (const { name, body } of rooms) {
    let before: string | undefined;
    for (const method of body.matchAll(
      /(\/\*\*(?:(?!\*\/).)*\*\/)?\n {2}(?:async )?\*?(\w+)\(/gs,
    )) {
      const [, comment, methodName] = method;
      // Editors show the comments of overloads, and none of what implements them.
      const isImplementation = methodName === before && comment === undefined;
      before = methodName;
      if (
        isImplementation ||
        methodName === "constructor" ||
        ["ScheduledMany", "InputError"].includes(name)
      )
        continue;
      expect(comment, `the comment of ${name}.${methodName}`).toContain("@example");
      count++;
    }
  }
  expect(count).toBeGreaterThan(50);
});

/** Each block of code of a comment or a page. */
function examplesIn(path: string, text: string): { name: string; code: string }[] {
  const lines = text.replaceAll(/^ *\* ?/gm, (mark) => (path.endsWith(".md") ? mark : ""));
  return [...lines.matchAll(/```ts\n(.*?)```/gs)].map((match, index) => ({
    name: `${path.replaceAll(/\W/g, "-")}-${index}.ts`,
    code: match[1]!,
  }));
}

test("every example compiles", async () => {
  const readme = { path: "README.md", text: readFileSync(join(root, "README.md"), "utf8") };
  const examples = [...sources, readme].flatMap(({ path, text }) => examplesIn(path, text));
  expect(examples.length).toBeGreaterThan(55);
  const folder = await mkdtemp(join(tmpdir(), "postdate-examples-"));
  try {
    for (const { name, code } of examples) {
      const client = `declare const postdate: import("@postdate/client").Postdate;`;
      const given = code.includes("const postdate =") ? "" : client;
      await writeFile(join(folder, name), `export {};\n${given}\n${code}`);
    }
    const modules = join(root, "../../node_modules");
    const compilerOptions = {
      target: "es2024",
      lib: ["es2024", "esnext.iterator", "esnext.disposable"],
      module: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ["node"],
    };
    await symlink(modules, join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    const compiler = join(modules, ".bin/tsc");
    const compiled = await promisify(execFile)(compiler, ["-p", folder]).catch(
      (error: { stdout: string }) => error,
    );
    expect(compiled.stdout).toBe("");
  } finally {
    await rm(folder, { recursive: true });
  }
});
