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

/** What the validator reports of so many entries that are no objects, and how many of them are read. */
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

test("of thousands of mismatches the first are put into words, and all of them count", () => {
  const { error, read } = mismatches(10_000);
  const named = namedProblems(refusalProblems(request, error));
  expect(read.size).toBeLessThanOrEqual(200);
  expect(named).toHaveLength(50);
  expect(named[0]).toMatchObject({
    field: "messages[0]",
    message: "messages[0] must be an object.",
  });
  expect(named.at(-1)!.message).toMatch(/^9,951 more things are wrong with it/);
});

test("of a few mismatches each is put into words, as where all of them are needed", () => {
  const { error } = mismatches(200);
  expect(refusalProblems(request, error)).toEqual(requestProblems(request, error));
});
