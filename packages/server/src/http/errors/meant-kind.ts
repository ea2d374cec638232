import type { SchemaError } from "./schema-problems.ts";

/**
 * A body whose form depends on its `kind` is compared with the form of each kind. Of what the validator
 * reports, this is what concerns the kind that the caller means: without a `kind`, the one that does not
 * ask for it.
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
