import { InputError } from "../input-error.ts";

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** From `path`, which has escaped the ids in it. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | Date | undefined>> | undefined;
  /** JSON. */
  readonly body?: string | undefined;
  readonly form?: Readonly<Record<string, string | undefined>>;
  readonly idempotencyKey?: string;
  /** Whether the request may be repeated although an earlier try may have taken effect. */
  readonly isRepeatable: boolean;
  /** Whether the request goes without the credential. */
  readonly isAnonymous?: boolean;
  /** Whether a 404 without a body is an answer: there is no such thing. */
  readonly mayBeMissing?: boolean;
  /** Whether the answer is text instead of JSON. */
  readonly isText?: boolean;
  /** The field of a good answer that the client itself reads. All but the payload are lists. */
  readonly has?: "items" | "results" | "attempts" | "payload";
  /** Statuses besides 2xx that have a body of their own. */
  readonly alsoAnswers?: number;
}

/** Builds a path and escapes each part: `path("v1", "messages", id)`. */
export function path(...parts: readonly string[]): string {
  for (const part of parts) {
    // URLs drop these names, escaped or not, so the path would lead elsewhere.
    if (typeof part !== "string" || /^\.{0,2}$/.test(part) || !part.isWellFormed()) {
      throw new InputError(`"${part}" is not an id.`);
    }
  }
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

/** For a query, a form or headers, which leave out what is undefined. */
export function parametersOf(given: NonNullable<ApiRequest["query"]>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined)
      parameters.set(name, value instanceof Date ? isoTime(value, name) : String(value));
  }
  return parameters;
}

export function isoTime(time: Date, name: string): string {
  if (Number.isNaN(time.getTime())) throw new InputError(`${name} is an invalid Date.`);
  return time.toISOString();
}

export function get(path: string, query?: ApiRequest["query"]): ApiRequest {
  return { method: "GET", path, query, isRepeatable: true };
}

/** A change that is the same when it is made twice. */
export function repeatable(
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): ApiRequest {
  return { method, path, body: jsonOf(body), isRepeatable: true };
}

/** A change that must not be made twice, or whose answer a repetition could not give again. */
export function once(method: "POST" | "DELETE", path: string, body?: unknown): ApiRequest {
  return { ...repeatable(method, path, body), isRepeatable: false };
}

/** Undefined for what JSON leaves out. `name` is what the caller knows the value as. */
export function jsonOf(value: unknown, name = "The request"): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    // The last field that is looked at is a BigInt, or closes a circle.
    let field = "";
    try {
      JSON.stringify(value, (key, inner: unknown) => {
        field = key && ` (${key})`;
        return inner;
      });
    } catch {}
    throw new InputError(`${name} cannot be JSON${field}.`, cause);
  }
}
