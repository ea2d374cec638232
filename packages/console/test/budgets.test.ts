import { globSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { builtConsole } from "./support/built-console.ts";

const builtFolder = await builtConsole();
const kilobyte = 1_000;
const assets = join(builtFolder, "assets");
const html = readFileSync(join(builtFolder, "index.html"), "utf8");

function gzipped(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + statSync(join(assets, `${name}.gz`)).size, 0);
}

/** The files that a script imports at once, with those that these import. */
function withImports(name: string, known: Set<string> = new Set()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  const text = readFileSync(join(assets, name), "utf8");
  for (const [, imported] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
    withImports(imported!, known);
  }
  return known;
}

const entry = basename(/src="\.\/assets\/([^"]+)"/.exec(html)![1]!);
const first = withImports(entry);
const pages = globSync("*-page-*.js", { cwd: assets });

test("the first load has at most 260 KB of script and 25 KB of styles, compressed", () => {
  expect(pages.length).toBeGreaterThanOrEqual(6);
  const overview = pages.find((name) => name.startsWith("overview-page"))!;
  const scripts = new Set([...first, ...withImports(overview)]);
  expect(gzipped([...scripts])).toBeLessThan(260 * kilobyte);
  expect(gzipped(globSync("*.css", { cwd: assets }))).toBeLessThan(25 * kilobyte);
});

test.each(pages)("the page %s has at most 25 KB besides", (page) => {
  const own = [...withImports(page)].filter((name) => !first.has(name));
  expect(gzipped(own)).toBeLessThan(25 * kilobyte);
});

test("each file has its compressed forms beside it, and no file names another host", () => {
  for (const name of globSync("*.{js,css,svg}", { cwd: assets })) {
    for (const ending of [".br", ".gz"])
      expect(statSync(join(assets, name + ending)).size).toBeGreaterThan(0);
  }
  expect(html).not.toMatch(/https?:/);
});
