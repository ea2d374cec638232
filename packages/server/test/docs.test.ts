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

test("the pause between two looks that ADR 4 names is the code's", () => {
  const code = readFileSync(join(source, "storage/postgres/queries/change-message.ts"), "utf8");
  const [, everyMs] = /const lookEveryMs = (\d+);/.exec(code)!;
  expect(page("adr/0004-changes-wait-inside-the-store.md")).toContain(`every ${everyMs} ms`);
});
