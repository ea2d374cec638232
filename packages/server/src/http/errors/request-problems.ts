import type { FastifyRequest } from "fastify";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { loneSurrogate } from "../../operations/messages/message-draft.ts";
import { clippedName } from "./clipped-name.ts";
import { ofMeantKind } from "./meant-kind.ts";
import { fieldOf, problemOf } from "./schema-problems.ts";
import type { ProblemContext, SchemaError } from "./schema-problems.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** JSON pointers to the strings of the body that UTF-8 cannot carry. */
    loneSurrogates: readonly string[] | null;
  }
  interface FastifyContextConfig {
    /** What to say about a field that is known elsewhere and refused here. */
    readonly refusedFields?: Readonly<Record<string, string>>;
  }
}

/** What the validator found in the first part of the request that it did not accept. */
export interface FailedValidation {
  readonly validation?: readonly SchemaError[] | undefined;
  readonly validationContext?: string | undefined;
}

/** Everything that is wrong with the form of a request. */
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
  const problems = tellingErrors(error?.validation ?? []).map((one) => problemOf(one, context));
  for (const pointer of request.loneSurrogates ?? [])
    problems.push(loneSurrogate(fieldOf(pointer)));
  // Validation stops at the first part that is wrong; operations with a body have no parameters.
  if (error?.validationContext === "body") problems.push(...unknownParameters(request));
  return distinct(problems);
}

/** Of thousands of mismatches an answer names the first few: so many are put into words. */
const mostWorded = 200;

const unworded: Problem = {
  code: codes.invalidRequest,
  message: "There is more that is wrong with it.",
};

/**
 * As `requestProblems`, for a request that is refused whatever else is wrong with it: all of it counts,
 * and only the beginning is put into words.
 */
export function refusalProblems(request: FastifyRequest, error?: FailedValidation): Problem[] {
  const given = error ?? request.validationError;
  const validation = given?.validation ?? [];
  if (validation.length <= mostWorded) return requestProblems(request, given);
  const worded = { ...given, validation: validation.slice(0, mostWorded) };
  const rest = validation.slice(mostWorded).map(() => unworded);
  return [...requestProblems(request, worded), ...rest];
}

/** Of a value of the wrong type there is nothing else to say. */
function tellingErrors(all: readonly SchemaError[]): readonly SchemaError[] {
  const errors = ofMeantKind(all);
  const wrongTypes = errors.filter(({ keyword }) => keyword === "type");
  const paths = new Set(wrongTypes.map(({ instancePath }) => instancePath));
  return errors.filter((one) => one.keyword === "type" || !paths.has(one.instancePath));
}

/**
 * For operations that check more than the form: the fields whose form is right, so that one answer
 * names everything, and what is wrong with the others.
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

/** The type is a promise that validation has not kept: there may be no body, or a list or a text. */
function fieldsOf(body: unknown): [string, unknown][] {
  return typeof body === "object" && body !== null && !Array.isArray(body)
    ? Object.entries(body)
    : [];
}

/** The field of the body that a problem's field is, or lies in. */
function outermost(field: string): string | undefined {
  return field.split(/[.[]/, 1)[0];
}

/** What is given once arrives as text, what is given again as a list. */
function repeatedParameters(request: FastifyRequest): ReadonlySet<string> {
  const parameters = Object.entries(request.query as object);
  return new Set(parameters.filter(([, value]) => Array.isArray(value)).map(([name]) => name));
}

function unknownParameters(request: FastifyRequest): Problem[] {
  return Object.keys(request.query as object).map((name) =>
    problemOf(
      { instancePath: "", keyword: "additionalProperties", params: { additionalProperty: name } },
      { inQuery: true },
    ),
  );
}

/** One problem for each field and message: branches of a schema may report the same twice. */
function distinct(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ field, message }) => {
    const key = `${field}\n${message}`;
    return seen.has(key) ? false : seen.add(key) !== undefined;
  });
}
