import {
  backoffKinds,
  chosenId,
  printable,
  visibleAscii,
  withoutControls,
} from "@postdate/contract";
import { payloadLimit } from "../../domain/payload.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { clippedName } from "../wire/clipped-name.ts";
import { meantNames } from "./meant-names.ts";

/** One mismatch, as the validator reports it. */
export interface SchemaError {
  readonly instancePath: string;
  /** Which part of the schema it is a mismatch with. */
  readonly schemaPath?: string | undefined;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string | undefined;
  /** The schema of the value, and the value. */
  readonly parentSchema?: { readonly properties?: object };
  readonly data?: unknown;
}

/** To find out which name is meant takes about as long as all else of a problem, so only the first ones say it. */
const mostAdvised = 20;

export interface ProblemContext {
  /** How many problems the answer has already. */
  readonly before?: number;
  readonly inQuery?: boolean;
  /** Query parameters that the caller gave more than once. */
  readonly repeated?: ReadonlySet<string>;
  readonly refusedFields?: Readonly<Record<string, string>> | undefined;
}

/** `/messages/3/payload` as people write it: `messages[3].payload`. */
export function fieldOf(pointer: string): string {
  let field = "";
  for (const part of pointer.split("/").slice(1)) {
    const name = clippedName(part.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (/^\d+$/.test(name) && field !== "") field += `[${name}]`;
    else field += field === "" ? name : `.${name}`;
  }
  return field;
}

function inside(parent: string, name: unknown): string {
  const own = clippedName(String(name));
  return parent === "" ? own : `${parent}.${own}`;
}

export function problemOf(error: SchemaError, context: ProblemContext = {}): Problem {
  const parent = fieldOf(error.instancePath);
  const { params } = error;
  switch (error.keyword) {
    case "required": {
      const field = inside(parent, params["missingProperty"]);
      return invalid(field, `${field} is missing.`);
    }
    case "additionalProperties": {
      const field = inside(parent, params["additionalProperty"]);
      const { refusedFields = {} } = context;
      // A caller may name a field like one that every object has.
      if (Object.hasOwn(refusedFields, field)) return invalid(field, refusedFields[field]!);
      const thing = context.inQuery === true ? "query parameter" : "field";
      const isAdvised = (context.before ?? 0) < mostAdvised;
      const name = String(params["additionalProperty"]);
      const advice = isAdvised ? adviceOn(name, error, parent) : leaveOut;
      return invalid(field, `There is no ${thing} ${JSON.stringify(field)} here. ${advice}`);
    }
    case "discriminator": {
      // Backoff is the only schema with a discriminator.
      const field = inside(parent, params["tag"]);
      return invalid(
        field,
        `${field} must be ${backoffKinds.map((kind) => `"${kind}"`).join(" or ")}.`,
      );
    }
    default:
      if (parent === "") return invalid(undefined, wholeBody(error));
      if (context.repeated?.has(parent))
        return invalid(parent, `${parent} is given more than once.`);
      if (error.keyword === "maxLength" && /(^|\.)payload$/.test(parent)) return tooLarge(parent);
      return invalid(parent, `${parent} ${demandOf(error)}.`);
  }
}

const leaveOut = "Leave it out.";

/** What to do about an unknown field. One that is given already is not meant. */
function adviceOn(name: string, { parentSchema, data }: SchemaError, parent: string): string {
  const given = Object(data) as object;
  const known = Object.keys(parentSchema?.properties ?? {});
  const meant = meantNames(
    name,
    known.filter((one) => !Object.hasOwn(given, one)),
  );
  if (meant.length === 0) return leaveOut;
  return `Did you mean ${meant.map((one) => JSON.stringify(inside(parent, one))).join(" or ")}?`;
}

function invalid(field: string | undefined, message: string): Problem {
  return field === undefined
    ? { code: codes.invalidRequest, message }
    : { code: codes.invalidRequest, message, field };
}

function tooLarge(field: string): Problem {
  return {
    code: codes.payloadTooLarge,
    message: `The payload has more than ${payloadLimit} characters. Shorten it, or schedule a reference to it.`,
    field,
  };
}

function wholeBody(error: SchemaError): string {
  return error.keyword === "type"
    ? "A body is needed: a JSON object, sent with Content-Type: application/json."
    : `The body ${error.message ?? "is not valid"}.`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

/** The rest of a sentence that begins with the field's name. */
function demandOf(error: SchemaError): string {
  const { params } = error;
  const limit = params["limit"] as number;
  switch (error.keyword) {
    case "type": {
      const types = [params["type"]].flat() as string[];
      return `must be ${types.map((type) => typeNames[type] ?? type).join(" or ")}`;
    }
    case "enum":
      return `must be one of ${(params["allowedValues"] as unknown[]).map((one) => JSON.stringify(one)).join(", ")}`;
    case "const":
      return `must be ${JSON.stringify(params["allowedValue"])}`;
    case "minimum":
      return `must be ${limit} or more`;
    case "maximum":
      return `must be ${limit} or less`;
    case "minLength":
      return limit === 1 ? "must not be empty" : `must have at least ${limit} characters`;
    case "maxLength":
      return `must have at most ${limit} characters`;
    case "minItems":
      return `must have at least ${limit} ${limit === 1 ? "entry" : "entries"}`;
    case "maxItems":
    case "maxProperties":
      return `must have at most ${limit} entries`;
    case "uniqueItems":
      return "must not have the same entry twice";
    case "pattern":
      if (params["pattern"] === printable || params["pattern"] === withoutControls) {
        return "must not contain control characters";
      }
      if (params["pattern"] === visibleAscii)
        return "must be visible ASCII characters, without spaces";
      if (params["pattern"] === chosenId) return "must be 1 to 64 letters, digits, _ and -";
      return `must match ${String(params["pattern"])}`;
    default:
      return error.message ?? "is not valid";
  }
}
