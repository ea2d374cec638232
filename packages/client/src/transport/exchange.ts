import { ConnectionError } from "../connection-error.ts";
import type { Answer } from "./answer.ts";
import type { ApiRequest } from "./api-request.ts";
import type { Deadline } from "./deadline.ts";

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Codes of connections that were never made, so that nothing was sent. Runtimes name them differently. */
const unsent = /refused|notfound|ai_again|unreach|connect_t/i;

/** One request and its whole answer. No error shows the credential. */
export async function exchange(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  deadline: Deadline,
  {
    credential,
    isStream,
  }: Pick<ApiRequest, "isStream"> & { readonly credential: string | undefined },
): Promise<Answer> {
  try {
    deadline.check();
    // A redirect could carry the key elsewhere. Workers do not know "error".
    const sent = fetch(url, { ...init, redirect: "manual", signal: deadline.signal });
    const response = await deadline.race(sent);
    const { ok, status, headers, body } = response;
    if (isStream && body && /^text.event-stream/.test(headers.get("content-type")!))
      return { ok, status, headers, text: "", json: null, stream: body };
    const text = await deadline.race(response.text());
    const json = parse(text);
    // An answer without a length ends with its connection, so `fetch` does not notice that a part is missing.
    if (json === undefined && ok && /^application.json/.test(headers.get("content-type")!))
      throw new Error("the answer broke off");
    return { ok, status, headers, text, json };
  } catch (error) {
    deadline.check();
    throw connectionError(url, error, credential);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function connectionError(url: string, error: unknown, credential?: string): ConnectionError {
  const inner = innermost(error);
  const { message, code } = Object(inner) as Partial<Error> & { code?: unknown };
  const text = withoutSecrets(message || String(inner), credential);
  return new ConnectionError(`Cannot reach ${new URL(url).origin}: ${text}.`, {
    cause: Object.assign(new Error(text), code && { code }),
    status: null,
    retryAfterMs: null,
    mayHaveTakenEffect: !unsent.test(String(code)),
  });
}

/** `fetch` fails with a general error, and has the reason inside. It may have tried several addresses. */
function innermost(error: unknown, depth = 0): unknown {
  const { cause, errors } = Object(error) as { cause?: unknown; errors?: readonly unknown[] };
  const inner = cause ?? errors?.[0];
  return inner == null || depth > 4 ? error : innermost(inner, depth + 1);
}

/** An injected fetch may tell what it sent: the credential in a header, secrets and tokens in a form. */
function withoutSecrets(text: string, credential: string | RegExp = /^$/g): string {
  return text
    .replaceAll(credential, "[credential]")
    .replaceAll(/(client_secret|token)\W*=\W*[^&\s']+/g, "[credential]");
}
