import type { SealedHeaders } from "../domain/message-options.ts";
import { codes } from "../domain/refusals.ts";
import type { Problem } from "../domain/refusals.ts";
import type { SecretBox } from "../platform/secret-box.ts";
import { contentTypeProblems, headerProblems, headersSize, valueIsSet } from "./header-rules.ts";
import type { Headers } from "./header-rules.ts";

/** Under which the headers of a message are sealed and marked. No other file seals or opens them. */
const purpose = "message-headers";

const mostHeaders = 20;
const mostCharacters = 4_096;

export interface GivenHeaders {
  readonly headers: Headers | undefined;
  readonly contentType: string | undefined;
}

/** The rules for the headers of targets apply, with narrower limits. */
export function checkMessageHeaders({ headers, contentType }: GivenHeaders): Problem[] {
  const problems = contentType === undefined ? [] : contentTypeProblems(contentType);
  if (headers === undefined) return problems;
  problems.push(...headerProblems(headers, mostHeaders));
  if (headersSize(headers) > mostCharacters) problems.push(tooLong);
  for (const [name, value] of Object.entries(headers)) {
    if (value === valueIsSet) problems.push(noValue(name));
  }
  return problems;
}

export function sealHeaders(box: SecretBox, headers: Headers): SealedHeaders {
  return { names: Object.keys(headers), sealed: box.seal(JSON.stringify(headers), purpose) };
}

/**
 * Tells whether two requests have the same headers. It is stored with an idempotency key, where a plain hash
 * would let a reader of the store try passwords against it.
 */
export function markHeaders(box: SecretBox, headers: Headers): string {
  return box.mark(JSON.stringify(headers), purpose);
}

export function openHeaders(box: SecretBox, { sealed }: SealedHeaders): Headers {
  return JSON.parse(box.open(sealed, purpose));
}

function noValue(name: string): Problem {
  return {
    code: codes.invalidRequest,
    message: `Give the value itself: "${valueIsSet}" is only what answers show instead of it.`,
    field: `headers.${name}`,
  };
}

const tooLong: Problem = {
  code: codes.invalidRequest,
  message: `Shorten the headers: their names and values may have at most ${mostCharacters} characters together.`,
  field: "headers",
};

/** The same headers, sealed with the key that seals now. */
export const resealHeaders = (box: SecretBox, sealed: string): string =>
  box.seal(box.open(sealed, purpose), purpose);
