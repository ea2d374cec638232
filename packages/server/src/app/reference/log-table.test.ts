import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logLines } from "../../platform/log-lines.ts";
import { logTable, withLogTable } from "./log-table.ts";

const page = join(import.meta.dirname, "../../../../../docs/operations/monitoring.md");
const monitoring = readFileSync(page, "utf8");
const src = join(import.meta.dirname, "../..");
const sources = globSync("{app,engine,http}/**/*.ts", { cwd: src })
  .filter((path) => !/\.test\.ts$|\/testing\/|reference\//.test(path))
  .map((path) => readFileSync(join(src, path), "utf8"))
  .join("\n");

test("the table of log lines in monitoring.md is the one of the code (npm run docs:reference writes it)", () => {
  expect(monitoring).toContain(`\n\n${logTable()}\n\n`);
  expect(withLogTable(monitoring)).toBe(monitoring);
  const drifted = monitoring.replace("| `stopped` | info |", "| `stopped` | warn |");
  expect(drifted).not.toBe(monitoring);
  expect(withLogTable(drifted)).toBe(monitoring);
});

test("the service writes every line of the table", () => {
  const written = (line: string): boolean => sources.includes(`"${line}"`);
  const unwritten = Object.keys(logLines).filter((line) => !written(line));
  expect(unwritten).toEqual(["trouble while …"]);
  expect(sources).toContain("`trouble while ${doing}`");
});

test("the table says everything that the service may have trouble with", () => {
  const doings = [...sources.matchAll(/(?:trouble\(.*, |#insist\()["`]([^"`$]+)/g)]
    .map(([, doing]) => doing!.trim())
    .filter((doing) => doing !== "trouble while");
  expect(doings.length).toBeGreaterThan(12);
  const { means } = logLines["trouble while …"];
  const unsaid = doings.filter((doing) => !means.includes(doing));
  expect(unsaid).toEqual([]);
});
