import { ApiError } from "../api-error.ts";
import { ConnectionError } from "../connection-error.ts";
import type { ErrorObject } from "../types/errors.ts";
import type { ApiRequest } from "./api-request.ts";

/** An answer whose body has arrived. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the text is not JSON. */
  readonly json: unknown;
  /** Instead of text, where a stream was asked for and came. */
  readonly stream?: ReadableStream<Uint8Array>;
}

/** Returns the content of a good answer: JSON, text, or null for what does not exist. Throws otherwise. */
export function contentOf(request: ApiRequest, answer: Answer, url: string): unknown {
  const { ok, status, text, json, stream } = answer;
  if (stream) return stream;
  const isGood = ok || status === request.alsoAnswers;
  if (isGood && request.isText) return text;
  if (isGood && isFit(json, request)) return json;
  const errors = errorsIn(json);
  if (status === 404 && (errors?.[0]?.code ?? text) === request.missing) return null;
  throw errors ? apiError(answer, errors) : notPostdate(answer, url);
}

export function apiError(
  { headers, status: whole }: Answer,
  errors: readonly ErrorObject[],
  status = whole,
): ApiError {
  const requestId = headers.get("x-request-id");
  return new ApiError({ status, errors, requestId, retryAfterMs: retryAfter(headers) });
}

export function notPostdate({ ok, headers, status }: Answer, url: string): ConnectionError {
  // Browsers show a redirect as 0.
  const redirects = !ok && status < 400;
  const what = redirects
    ? "redirects, which is not followed"
    : `answered ${status} with something that is not from Postdate`;
  return new ConnectionError(`${url} ${what}. Check the url.`, {
    status,
    retryAfterMs: retryAfter(headers),
    // A proxy that limits rates or redirects has not passed the request on.
    mayHaveTakenEffect: !redirects && status !== 429,
  });
}

/** Whether the JSON is an object that has what the client itself reads of it. */
function isFit(json: unknown, { has }: ApiRequest): boolean {
  if (Object(json) !== json || Array.isArray(json) || "errors" in (json as object)) return false;
  const field = (json as Record<string, { length?: unknown } | null>)[has ?? ""];
  // A text or a list has a length.
  return has === undefined || field?.length !== undefined;
}

/** The errors of an answer, in the format of the service or of OAuth. */
function errorsIn(json: unknown): ErrorObject[] | undefined {
  const { errors, error, error_description: text = "" } = Object(json) as Record<string, unknown>;
  const list = typeof error === "string" ? [{ code: error, message: text }] : errors;
  const areErrors =
    Array.isArray(list) &&
    list[0] &&
    list.every((each) => typeof each?.code === "string" && typeof each.message === "string");
  return areErrors ? (list as ErrorObject[]) : undefined;
}

/** Seconds, or an HTTP date. */
function retryAfter(headers: Headers): number | null {
  const value = headers.get("retry-after");
  const ms = Number(value) * 1_000 || Date.parse(value!) - Date.now();
  return ms > 0 ? ms : null;
}
