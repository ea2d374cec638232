import { ApiError } from "../api-error.ts";
import { ConnectionError } from "../connection-error.ts";
import type { ErrorObject } from "../types/errors.ts";
import type { ApiRequest } from "./api-request.ts";

/** An answer whose body has arrived. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the text is not JSON. */
  readonly json: unknown;
}

/** Returns the content of a good answer: JSON, text, or null for what does not exist. Throws otherwise. */
export function contentOf(request: ApiRequest, answer: Answer, url: string): unknown {
  const { status, headers, text, json } = answer;
  const isGood = (status >= 200 && status < 300) || status === request.alsoAnswers;
  if (isGood && request.isText) return text;
  if (isGood && isFit(json, request)) return json;
  if (status === 404 && text === "" && request.mayBeMissing) return null;
  const errors = errorsIn(json);
  const retryAfterMs = retryAfter(headers.get("retry-after"));
  if (errors !== undefined) {
    const requestId = headers.get("x-request-id");
    throw new ApiError({ status, errors, requestId, retryAfterMs });
  }
  throw notPostdate(url, status, retryAfterMs);
}

export function notPostdate(
  url: string,
  status: number,
  retryAfterMs: number | null = null,
): ConnectionError {
  const redirects = status === 0 || (status >= 300 && status < 400);
  const what = redirects
    ? "redirects, which is not followed"
    : `answered ${status} with something that is not from Postdate`;
  return new ConnectionError(`${url} ${what}. Check the url.`, {
    status,
    retryAfterMs,
    // A proxy that limits rates or redirects has not passed the request on.
    mayHaveTakenEffect: !redirects && status !== 429,
  });
}

/** Whether the JSON is an object that has what the client itself reads of it. */
function isFit(json: unknown, { has }: ApiRequest): boolean {
  if (Object(json) !== json || Array.isArray(json) || "errors" in (json as object)) return false;
  const field = (json as Record<string, unknown>)[has ?? ""];
  return (
    has === undefined || (has === "payload" ? typeof field === "string" : Array.isArray(field))
  );
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
function retryAfter(value: string | null): number | null {
  const ms = Number(value) * 1_000 || Date.parse(value ?? "") - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
