import { expect, test } from "vitest";
import { wantedOf } from "./figures/wanted.ts";
import { readOptions } from "./options.ts";
import { choosePhases } from "./phases/choose-phases.ts";

const namesOf = (...args: string[]): string[] =>
  choosePhases(readOptions(args)).map(({ name }) => name);

test("at least five turns count, or three with --quick", () => {
  expect(readOptions([]).turns).toBe(5);
  expect(readOptions(["--quick"]).turns).toBe(3);
});

test("a backlog is made only if its size is given", () => {
  expect(namesOf()).not.toContain("pending");
  expect(namesOf("--pending", "1000000")).toContain("pending");
  expect(namesOf("--phases", "drain,single")).toEqual(["single", "drain"]);
});

test("disks of several speeds are measured on request", () => {
  expect(namesOf()).not.toContain("surface");
  expect(namesOf("--phases", "surface")).toEqual(["surface"]);
  expect(readOptions(["--disk-ms", "0.5", "--callers", "16"])).toMatchObject({
    ...{ diskMs: 0.5, callers: 16 },
  });
});

test("figures have bounds on the usual disk and with the usual callers only", () => {
  const wanted = (...args: string[]) => wantedOf(readOptions(args), "single");
  expect(wanted()).toEqual({ atLeast: 0.7 });
  expect(wanted("--disk-ms", "5")).toBeUndefined();
  expect(wanted("--callers", "16")).toBeUndefined();
});

test("a soak is made only on request, and --quick makes it short", () => {
  expect(namesOf()).not.toContain("soak");
  expect(namesOf("--phases", "soak")).toEqual(["soak"]);
  expect(readOptions([]).retentionSeconds).toBe(20);
  expect(readOptions(["--quick"]).retentionSeconds).toBe(5);
  expect(readOptions(["--retention", "60"]).retentionSeconds).toBe(60);
});

test("invalid options are refused", () => {
  expect(() => readOptions(["--store", "redis"])).toThrow("--store: sqlite or postgres");
  expect(() => readOptions(["--nodes", "2"])).toThrow("the embedded store has one");
  expect(() => readOptions(["--disk-ms", "2000"])).toThrow("--disk-ms: milliseconds");
  expect(() => readOptions(["--turns", "0"])).toThrow("--turns: a whole number");
  expect(() => namesOf("--phases", "drian")).toThrow("there is no drian, only single");
  expect(() => namesOf("--phases", "pending")).toThrow("needs --pending");
});
