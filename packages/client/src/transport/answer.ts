import { ApiError } from "../api-error.ts";
import { ConnectionError } from "../connection-error.ts";
import type { ErrorObject } from "../types/errors.ts";
import type { ApiRequest } from "./api-request.ts";

/** An answer whose body has arrived. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Returns the content of a good answer: JSON, text, or null for what does not exist. Throws otherwise. */
export function contentOf(request: ApiRequest, answer: Answer, url: string): unknown {
  const { status, text } = answer;
  const isGood = (status >= 200 && status < 300) || status === request.alsoAnswers;
  if (isGood && request.isText === true) return text;
  const json = parse(text);
  if (isGood && json !== undefined && !("errors" in json) && isFit(json, request)) return json;
  if (status === 404 && text === "" && request.mayBeMissing === true) return null;
  const errors = errorsIn(json);
  const retryAfterMs = retryAfter(answer.headers.get("retry-after"));
  if (errors !== undefined) {
    const requestId = answer.headers.get("x-request-id");
    throw new ApiError({ status, errors, requestId, retryAfterMs });
  }
  throw notPostdate(url, answer.status, retryAfterMs);
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

function parse(text: string): object | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null && !Array.isArray(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the JSON has what the client itself reads of it. */
function isFit(json: object, { has }: ApiRequest): boolean {
  const field = (json as Record<string, unknown>)[has ?? ""];
  return (
    has === undefined || (has === "payload" ? typeof field === "string" : Array.isArray(field))
  );
}

/** The errors of an answer, in the format of the service or of OAuth. */
function errorsIn(json: object | undefined): ErrorObject[] | undefined {
  const { errors, error, error_description } = (json ?? {}) as Record<string, unknown>;
  if (typeof error === "string") {
    return [
      { code: error, message: typeof error_description === "string" ? error_description : "" },
    ];
  }
  const areErrors =
    Array.isArray(errors) &&
    errors[0] &&
    errors.every((each) => typeof each?.code === "string" && typeof each.message === "string");
  return areErrors ? (errors as ErrorObject[]) : undefined;
}

/** Seconds, or an HTTP date. */
function retryAfter(value: string | null): number | null {
  if (value === null) return null;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
