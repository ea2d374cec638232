import { expect, test } from "vitest";
import type { Problem } from "../../domain/refusals.ts";
import { readRange } from "./given-range.ts";
import type { GivenRange } from "./given-range.ts";

const now = Date.parse("2026-11-18T12:34:56.789Z");

function read(given: Omit<GivenRange, "problems">, begins: boolean) {
  const problems: Problem[] = [];
  const usualBucket = begins ? "hour" : "minute";
  const { bucket, from, until } = readRange(
    { ...given, problems: [] },
    { now, begins, usualBucket },
    problems,
  );
  const text = (time: number) => new Date(time).toISOString().slice(0, 16);
  return problems.length > 0
    ? problems.map(({ field }) => field)
    : [bucket, text(from), text(until)];
}

test.each([
  [{}, ["hour", "2026-11-18T12:00", "2026-11-19T13:00"]],
  [{ bucket: "minute" }, ["minute", "2026-11-18T12:34", "2026-11-18T13:35"]],
  [{ bucket: "day" }, ["day", "2026-11-18T00:00", "2026-12-19T00:00"]],
  [{ maxTime: "2026-11-18T14:00:00Z" }, ["minute", "2026-11-18T12:34", "2026-11-18T14:00"]],
  [{ maxTime: "2026-11-18T14:00:00.001Z" }, ["minute", "2026-11-18T12:34", "2026-11-18T14:01"]],
  [{ maxTime: "2027-01-01T00:00:00Z" }, ["day", "2026-11-18T00:00", "2027-01-01T00:00"]],
  [{ minTime: "2020-01-01T00:00:00Z" }, ["hour", "2026-11-18T12:00", "2026-11-19T13:00"]],
  [{ minTime: "2026-12-01T00:00:00Z" }, ["hour", "2026-12-01T00:00", "2026-12-02T00:00"]],
  [{ maxTime: "2020-01-01T00:00:00Z" }, ["minute", "2026-11-18T12:34", "2026-11-18T12:34"]],
  [{ maxTime: "2100-01-01T00:00:00Z" }, ["maxTime"]],
  [{ minTime: "9999-12-31T12:00:00Z" }, ["hour", "9999-12-31T12:00", "9999-12-31T23:00"]],
] as const)("of what comes: %j", (given, expected) => {
  expect(read(given, true)).toEqual(expected);
});

test.each([
  [{}, ["minute", "2026-11-18T11:34", "2026-11-18T12:35"]],
  [{ bucket: "hour" }, ["hour", "2026-11-17T12:00", "2026-11-18T13:00"]],
  [{ minTime: "2026-11-16T12:00:00Z" }, ["hour", "2026-11-16T12:00", "2026-11-18T13:00"]],
  [{ minTime: "2026-10-20T00:00:00Z" }, ["day", "2026-10-20T00:00", "2026-11-19T00:00"]],
  [{ maxTime: "2026-11-18T10:00:00Z" }, ["minute", "2026-11-18T09:00", "2026-11-18T10:00"]],
  [{ minTime: "2020-01-01T00:00:00Z", bucket: "minute" }, ["minTime"]],
  [{ minTime: "2026-11-18T10:00:00Z", maxTime: "2026-11-18T09:00:00Z" }, ["minTime"]],
  [{ maxTime: "0001-01-01T00:30:00Z" }, ["minute", "0001-01-01T00:00", "0001-01-01T00:30"]],
] as const)("of what was: %j", (given, expected) => {
  expect(read(given, false)).toEqual(expected);
});
