import { afterEach, expect, test, vi } from "vitest";
import { concurrentLookups } from "./thread-pool.ts";

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["1", 1],
  ["3", 2],
  ["4", 2],
  ["16", 8],
  ["5000", 512],
  ["-2", 1],
  ["many", 1],
])("with %s threads, %i look-ups run at once", (size, lookups) => {
  expect(concurrentLookups(size)).toBe(lookups);
});

test("the environment says how many threads there are; without it there are four", () => {
  vi.stubEnv("UV_THREADPOOL_SIZE", "10");
  expect(concurrentLookups()).toBe(5);
  vi.stubEnv("UV_THREADPOOL_SIZE", undefined);
  expect(concurrentLookups()).toBe(2);
});
