import { expect, test } from "vitest";
import { Errors, ErrorObject, Health, named } from "@postdate/contract";
import { buildSharedSerialisers } from "./shared-serialisers.ts";

const route = { method: "GET", url: "/", httpStatus: "400" };
const namedSchemas = { Errors, Error: ErrorObject, Health };

test("answers of one shape share a serialiser, however they are described", () => {
  const compile = buildSharedSerialisers(namedSchemas);
  const one = compile({ ...route, schema: { ...named(Errors), description: "Wrong." } });
  const other = compile({ ...route, schema: { ...named(Errors), description: "Too large." } });
  expect(other).toBe(one);
  expect(one({ errors: [{ code: "E-DI-1001", message: "no", secret: "hidden" }] })).toBe(
    '{"errors":[{"code":"E-DI-1001","message":"no"}]}',
  );
});

test("answers of another shape have another", () => {
  const compile = buildSharedSerialisers(namedSchemas);
  const errors = compile({ ...route, schema: named(Errors) });
  const health = compile({ ...route, schema: named(Health) });
  expect(health({ status: "ok", version: "1" })).toBe('{"status":"ok","version":"1"}');
  expect(health).not.toBe(errors);
});
