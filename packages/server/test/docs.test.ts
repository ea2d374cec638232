import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { wordsOf } from "../src/cli/print/migration.ts";
import { readSchemaSteps } from "../src/storage/schema-version.ts";
import { transferKinds } from "../src/storage/transfer/transfer.ts";

const root = join(import.meta.dirname, "../../..");
const source = join(import.meta.dirname, "../src");
const page = (path: string): string => readFileSync(join(root, "docs", path), "utf8");

test.each(["sqlite", "postgres"])("upgrades.md has a row for each schema of %s", (store) => {
  const steps = readSchemaSteps(join(source, "storage", store, "migrations"));
  const rows = [...page("operations/upgrades.md").matchAll(/^\| (\d+) \| (.+) \|$/gm)];
  const elsewhere = store === "sqlite" ? "PostgreSQL alone" : "the embedded store alone";
  const own = rows.filter(([, , brought]) => !brought!.startsWith(elsewhere));
  expect(own.map(([, version]) => Number(version))).toEqual(steps.map(({ version }) => version));
});

test.each(["operations/upgrades.md", "operations/moving-to-postgresql.md"])(
  "the refusal that %s shows is of today's schema",
  (path) => {
    const { length } = readSchemaSteps(join(source, "storage/sqlite/migrations"));
    expect(page(path)).toContain(`The schema is ${length - 1}, and this version needs ${length}`);
  },
);

test("moving-to-postgresql.md shows every kind of row that is copied, in its order", () => {
  const [, shown = ""] = /^KIND .*\n([^]*?)```/m.exec(page("operations/moving-to-postgresql.md"))!;
  const kinds = shown.trimEnd().split("\n");
  expect(kinds.map((line) => line.replace(/\s{2,}.*/, ""))).toEqual(
    transferKinds.map(({ name }) => wordsOf(name)),
  );
});

test("the picture in architecture.md has every folder of the source", () => {
  const [, picture = ""] = /```\n([^]*?)```/.exec(page("architecture.md"))!;
  const folders = readdirSync(source);
  expect(folders.length).toBeGreaterThan(5);
  expect(folders.filter((name) => !new RegExp(`\\b${name}\\b`).test(picture))).toEqual([]);
});

test("architecture.md names no file that is not there", () => {
  const named = [...page("architecture.md").matchAll(/`((?:[a-z-]+\/)+[a-z-]+\.ts)`/g)];
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter(([, path]) => globSync(path!, { cwd: source }).length === 0);
  expect(missing.map(([, path]) => path)).toEqual([]);
});

/** The paths of this repository that a text names, in code or as a link. `<noun>` stands for any name. */
function namedPaths(text: string): string[] {
  const entries = new Set(readdirSync(root));
  const isOurs = (path: string): boolean => path.includes("/") && entries.has(path.split("/")[0]!);
  const inCode = [...text.matchAll(/`([^`\s]+)`/g)].map(([, path]) => path!);
  const linked = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path]) => path!);
  return [...inCode.filter(isOurs), ...linked];
}

function missingPaths(text: string): string[] {
  const patternOf = (path: string): string => path.replaceAll(/<[\w-]+>/g, "*");
  return namedPaths(text).filter((path) => globSync(patternOf(path), { cwd: root }).length === 0);
}

test("CONTRIBUTING.md names no path that is not there", () => {
  const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  expect(namedPaths(text).length).toBeGreaterThan(30);
  expect(missingPaths(text)).toEqual([]);
  const planted = "`docs/nowhere.md`, `packages/<noun>/nothing.ts` and [a link](NOWHERE.md)";
  expect(missingPaths(planted)).toHaveLength(3);
});

test(".nvmrc is the Node.js that `npm ci` brings", () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const version = readFileSync(join(root, ".nvmrc"), "utf8").trim();
  expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([version]));
});

test("the pause between two looks that ADR 4 names is the code's", () => {
  const code = readFileSync(join(source, "storage/postgres/queries/change-message.ts"), "utf8");
  const [, everyMs] = /const lookEveryMs = (\d+);/.exec(code)!;
  expect(page("adr/0004-changes-wait-inside-the-store.md")).toContain(`every ${everyMs} ms`);
});
