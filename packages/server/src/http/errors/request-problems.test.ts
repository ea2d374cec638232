import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { namedProblems } from "./named-problems.ts";
import { refusalProblems, requestProblems } from "./request-problems.ts";
import type { SchemaError } from "./schema-problems.ts";

const request = {
  loneSurrogates: null,
  query: {},
  routeOptions: { config: {} },
} as unknown as FastifyRequest;

/** The validator's errors for entries that are not objects, and a count of those that are read. */
function mismatches(count: number) {
  const read = new Set<number>();
  const validation = Array.from({ length: count }, (_, index): SchemaError => ({
    get instancePath() {
      read.add(index);
      return `/messages/${index}`;
    },
    keyword: "type",
    params: { type: "object" },
  }));
  return { error: { validation, validationContext: "body" }, read };
}

test("the first of thousands of mismatches get texts, and all are counted", () => {
  const { error, read } = mismatches(10_000);
  const named = namedProblems(refusalProblems(request, error));
  expect(read.size).toBeLessThanOrEqual(200);
  expect(named).toHaveLength(50);
  expect(named[0]).toMatchObject({
    field: "messages[0]",
    message: "messages[0] must be an object.",
  });
  expect(named.at(-1)!.message).toMatch(/^9,951 more problems are not listed/);
});

test("each of a few mismatches gets its text, as in `requestProblems`", () => {
  const { error } = mismatches(200);
  expect(refusalProblems(request, error)).toEqual(requestProblems(request, error));
});
