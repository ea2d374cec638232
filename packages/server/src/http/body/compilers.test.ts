import { expect, test } from "vitest";
import { Errors, ErrorObject, Health, named, namedSchemas as contract } from "@postdate/contract";
import { buildSerialisers, buildValidators } from "./compilers.ts";

const route = { method: "GET", url: "/", httpStatus: "400" };
const namedSchemas = { Errors, Error: ErrorObject, Health };

test("answers of one shape share a serialiser, whatever their descriptions", () => {
  const compile = buildSerialisers(namedSchemas);
  const one = compile({ ...route, schema: { ...named(Errors), description: "Wrong." } });
  const other = compile({ ...route, schema: { ...named(Errors), description: "Too large." } });
  expect(other).toBe(one);
  expect(one({ errors: [{ code: "E-DI-1001", message: "no", secret: "hidden" }] })).toBe(
    '{"errors":[{"code":"E-DI-1001","message":"no"}]}',
  );
});

test("answers of different shapes have different serialisers", () => {
  const compile = buildSerialisers(namedSchemas);
  const errors = compile({ ...route, schema: named(Errors) });
  const health = compile({ ...route, schema: named(Health) });
  expect(health({ status: "ok", version: "1" })).toBe('{"status":"ok","version":"1"}');
  expect(health).not.toBe(errors);
});

test("a validator reports the errors of its last call only", () => {
  const compile = buildValidators({}, { customOptions: { allErrors: true } });
  const schema = { type: "object", required: ["a", "b"], properties: { a: { type: "integer" } } };
  const validate = compile({ ...route, schema, httpPart: "body" });
  const problems = () => validate.errors?.map(({ keyword }) => keyword);
  expect(validate({ a: "x" })).toBe(false);
  expect(problems()?.toSorted()).toEqual(["required", "type"]);
  expect(validate({ a: 1 })).toBe(false);
  expect(problems()).toEqual(["required"]);
  expect(validate({ a: 1, b: 2 })).toBe(true);
  expect(validate.errors).toBeNull();
});

test("an invalid schema is reported when it is first needed", () => {
  const validate = buildValidators(
    {},
    { customOptions: {} },
  )({
    ...route,
    schema: { type: "nonsense" },
    httpPart: "body",
  });
  expect(() => validate({})).toThrow(/schema is invalid/);
});

test.each(contract)("the contract's schema $id is valid", (schema) => {
  const compile = buildValidators({}, { customOptions: { strict: false } });
  const validate = compile({ ...route, schema: { definitions: { schema } }, httpPart: "body" });
  expect(validate({})).toBe(true);
});
