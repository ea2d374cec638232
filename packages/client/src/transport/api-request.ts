import type { ScheduleOptions } from "../call-options.ts";
import { keyFrom } from "../idempotency-key.ts";
import { check, InputError } from "../input-error.ts";
import type { ErrorCode } from "../types/errors.ts";

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From `path`, which has escaped the ids in it. */
  readonly path: string;
  readonly query?:
    | Readonly<Record<string, string | number | boolean | Date | undefined>>
    | undefined;
  /** JSON. */
  readonly body?: string | undefined;
  readonly form?: Readonly<Record<string, string | undefined>>;
  readonly idempotencyKey?: string | undefined;
  /** Whether the request must not be repeated after a try that may have taken effect. */
  readonly isOnce?: boolean;
  /** What a 404 has if there is no such thing: this code, or no body at all. It is answered with null. */
  readonly missing?: ErrorCode | "";
  /** Whether the answer is text instead of JSON. */
  readonly isText?: boolean;
  /** Whether the answer is a stream of events, which is read as it arrives. */
  readonly isStream?: boolean | undefined;
  /** The field of a good answer that the client itself reads. All but the payload are lists. */
  readonly has?: "items" | "results" | "attempts" | "occurrences" | "payload";
  /** Statuses besides 2xx that have a body of their own. */
  readonly alsoAnswers?: number;
}

/** Escapes the ids in a path: `` path`/v1/messages/${id}` ``. */
export function path(raw: readonly string[], ...ids: readonly string[]): string {
  return String.raw({ raw }, ...ids.map(escaped));
}

function escaped(id: string): string {
  // URLs drop these names, escaped or not, so the path would lead elsewhere.
  const isId = typeof id === "string" && !/^\.{0,2}$/.test(id) && id.isWellFormed();
  check(isId, `"${id}" is not an id.`);
  return encodeURIComponent(id);
}

/** For a query, a form or headers, which leave out what is undefined. */
export function parametersOf(given: NonNullable<ApiRequest["query"]>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined)
      parameters.set(name, value instanceof Date ? isoTime(value, name) : (value as string));
  }
  return parameters;
}

export function isoTime(time: Date, name: string): string {
  // It is null if there is no such time.
  const text: string | null = time.toJSON();
  check(text, `${name} is an invalid Date.`);
  return text;
}

export function get(path: string, query?: ApiRequest["query"]): ApiRequest {
  return { method: "GET", path, query };
}

/** Reads what may not exist: then the service answers 404 with this code, or without a body. */
export function find(path: string, missing: ErrorCode | "" = ""): ApiRequest {
  return { ...get(path), missing };
}

/** A change that is the same when it is made twice. */
export function repeatable(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): ApiRequest {
  return { method, path, body: jsonOf(body) };
}

/** A change that must not be made twice, or whose answer a repetition could not give again. */
export function once(method: "POST" | "DELETE", path: string, body?: unknown): ApiRequest {
  return { ...repeatable(method, path, body), isOnce: true };
}

/** The same with the caller's key or one of its own, so that it is made once. */
export function withKey(request: ApiRequest, { idempotencyKey }: ScheduleOptions): ApiRequest {
  return { ...request, idempotencyKey: keyFrom(idempotencyKey) };
}

/** Undefined for what JSON leaves out. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    // The last field that is looked at is a BigInt, or closes a circle.
    let field: string;
    try {
      JSON.stringify(value, (key, inner: unknown) => {
        field = key || "json";
        return inner;
      });
    } catch {}
    throw new InputError(`${field!} cannot be JSON.`, cause);
  }
}
