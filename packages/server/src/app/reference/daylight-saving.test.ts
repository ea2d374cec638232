import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runOutcomes, runReasons } from "../../domain/schedules/run.ts";
import { catchUpModes, overlaps } from "../../domain/schedules/schedule.ts";
import { daylightSavingTable, withDaylightSavingTable } from "./daylight-saving.ts";

const page = join(import.meta.dirname, "../../../../../docs/guides/recurring-schedules.md");
const guide = readFileSync(page, "utf8");

test("the table of daylight saving in the guide is what the code computes (npm run docs:reference writes it)", () => {
  expect(guide).toContain(`\n\n${daylightSavingTable()}\n\n`);
  expect(withDaylightSavingTable(guide)).toBe(guide);
  const drifted = guide.replace("03:00 (+02:00, gap)", "02:30 (+02:00)");
  expect(drifted).not.toBe(guide);
  expect(withDaylightSavingTable(drifted)).toBe(guide);
});

test("the guide has every outcome and reason of a run, and every way to overlap and to catch up", () => {
  const rows = guide.split("\n").filter((line) => line.startsWith("| `"));
  const first = rows.map((row) => /^\| `([\w-]+)`/.exec(row)?.[1]);
  for (const word of [...runOutcomes, ...overlaps, ...catchUpModes]) expect(first).toContain(word);
  const outcomes = rows.filter((row) =>
    runOutcomes.some((word) => row.startsWith(`| \`${word}\``)),
  );
  const named = outcomes.flatMap((row) => row.split("|")[2]!.match(/[\w-]+/g) ?? []);
  expect(named.toSorted()).toEqual([...runReasons].toSorted());
});
