import type { FastifyRequest } from "fastify";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { loneSurrogate } from "../../operations/messages/message-draft.ts";
import { clippedName } from "../wire/clipped-name.ts";
import { ofMeantKind } from "./meant-kind.ts";
import { fieldOf, problemOf } from "./schema-problems.ts";
import type { ProblemContext, SchemaError } from "./schema-problems.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Error texts for fields that other operations take and this one refuses. */
    readonly refusedFields?: Readonly<Record<string, string>>;
  }
}

/** The validator stops at the first part of a request that it rejects. These are its findings there. */
export interface FailedValidation {
  readonly validation?: readonly SchemaError[] | undefined;
  readonly validationContext?: string | undefined;
}

/** All problems of a request that its schema shows. */
export function requestProblems(
  request: FastifyRequest,
  error: FailedValidation | undefined = request.validationError,
): Problem[] {
  const inQuery = error?.validationContext === "querystring";
  const context: ProblemContext = {
    inQuery,
    ...(inQuery ? { repeated: repeatedParameters(request) } : {}),
    refusedFields: request.routeOptions.config.refusedFields,
  };
  const problems = tellingErrors(error?.validation ?? []).map((one, before) =>
    problemOf(one, { ...context, before }),
  );
  for (const pointer of request.loneSurrogates ?? [])
    problems.push(loneSurrogate(fieldOf(pointer)));
  // The validator rejected the body and so did not check the query.
  if (error?.validationContext === "body") problems.push(...unknownParameters(request));
  return distinct(problems);
}

/** An answer lists only the first of thousands of mismatches, so only this many get a text of their own. */
const mostWorded = 200;

const unworded: Problem = {
  code: codes.invalidRequest,
  message: "The request has more problems.",
};

/**
 * Like `requestProblems`, for a request that is refused in any case. All problems are counted, and only the
 * first ones get a text of their own.
 */
export function refusalProblems(request: FastifyRequest, error?: FailedValidation): Problem[] {
  const given = error ?? request.validationError;
  const validation = given?.validation ?? [];
  if (validation.length <= mostWorded) return requestProblems(request, given);
  const worded = { ...given, validation: validation.slice(0, mostWorded) };
  const rest = validation.slice(mostWorded).map(() => unworded);
  return [...requestProblems(request, worded), ...rest];
}

/** If a value has the wrong type, its other errors are left out. */
function tellingErrors(all: readonly SchemaError[]): readonly SchemaError[] {
  const errors = ofMeantKind(all);
  const wrongTypes = errors.filter(({ keyword }) => keyword === "type");
  const paths = new Set(wrongTypes.map(({ instancePath }) => instancePath));
  return errors.filter((one) => one.keyword === "type" || !paths.has(one.instancePath));
}

/**
 * For operations that check more than the schema does. Returns the fields that match the schema, so that
 * the operation can check these too, and the problems of the other fields. One answer then lists all.
 */
export function soundBody<Body extends object>(
  request: Pick<FastifyRequest, "validationError" | "loneSurrogates">,
  body: Body,
): { readonly fields: Partial<Body>; readonly problems: readonly Problem[] } {
  if (request.validationError === undefined && request.loneSurrogates === null) {
    return { fields: body, problems: [] };
  }
  const problems = requestProblems(request as FastifyRequest);
  const faulty = new Set(problems.map(({ field = "" }) => outermost(field)));
  const isSound = ([name]: [string, unknown]) => !faulty.has(outermost(clippedName(name)));
  const fields = Object.fromEntries(fieldsOf(body).filter(isSound)) as Partial<Body>;
  return { fields, problems };
}

/** Validation failed, so the type may be wrong. There may be no body, or a list or a string. */
function fieldsOf(body: unknown): [string, unknown][] {
  return typeof body === "object" && body !== null && !Array.isArray(body)
    ? Object.entries(body)
    : [];
}

/** The top-level field of the body that contains the field of a problem. */
function outermost(field: string): string | undefined {
  return field.split(/[.[]/, 1)[0];
}

/** A parameter that is given once is a string, one that is given several times is a list. */
function repeatedParameters(request: FastifyRequest): ReadonlySet<string> {
  const parameters = Object.entries(request.query as object);
  return new Set(parameters.filter(([, value]) => Array.isArray(value)).map(([name]) => name));
}

function unknownParameters(request: FastifyRequest): Problem[] {
  const data = request.query as object;
  const parentSchema = (request.routeOptions.schema?.querystring ?? {}) as QuerySchema;
  const known = new Set(Object.keys(parentSchema.properties ?? {}));
  const unknown = Object.keys(data).filter((name) => !known.has(name));
  return unknown.map((name, before) => {
    const params = { additionalProperty: name };
    const error = { instancePath: "", keyword: "additionalProperties", params, parentSchema, data };
    return problemOf(error, { inQuery: true, before });
  });
}

interface QuerySchema {
  readonly properties?: object;
}

/** Removes repetitions: several branches of a schema may report the same problem. */
function distinct(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ field, message }) => {
    const key = `${field}\n${message}`;
    return seen.has(key) ? false : seen.add(key) !== undefined;
  });
}
