import type { SchemaError } from "./schema-problems.ts";

/**
 * The validator compares a body that has a `kind` with the schema of every kind, and reports the errors of
 * all. This keeps only the errors of the kind that the caller means. Without a `kind` in the body, that is
 * the kind whose schema does not require it.
 */
export function ofMeantKind(errors: readonly SchemaError[]): readonly SchemaError[] {
  const wrongKinds = errors.filter(saysAnotherKind);
  if (wrongKinds.length === 0) return errors;
  const others = new Set(wrongKinds.map(branchOf));
  const left = errors.filter((error) => !isUnion(error) && !others.has(branchOf(error)));
  return left.length > 0 ? left : [noSuchKind(wrongKinds)];
}

function branchOf({ schemaPath = "" }: SchemaError): string | undefined {
  return /^[^/]*\/oneOf\/\d+/.exec(schemaPath)?.[0];
}

function isUnion({ keyword, instancePath }: SchemaError): boolean {
  return keyword === "oneOf" && instancePath === "";
}

function saysAnotherKind(error: SchemaError): boolean {
  if (branchOf(error) === undefined) return false;
  return error.keyword === "const"
    ? error.instancePath === "/kind"
    : error.keyword === "required" && error.params["missingProperty"] === "kind";
}

function noSuchKind(wrongKinds: readonly SchemaError[]): SchemaError {
  const allowedValues = wrongKinds.map(({ params }) => params["allowedValue"]);
  return { instancePath: "/kind", keyword: "enum", params: { allowedValues } };
}
