import { ConnectionError } from "../connection-error.ts";
import type { Answer } from "./answer.ts";
import type { Deadline } from "./deadline.ts";

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Errors of connections that were never made, so that nothing was sent. Runtimes name them differently. */
const unsent =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/;

/** One request and its whole answer. */
export async function exchange(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  deadline: Deadline,
): Promise<Answer> {
  try {
    // A redirect could carry the key elsewhere. Workers do not know "error".
    const sent = fetch(url, { ...init, redirect: "manual", signal: deadline.signal });
    const response = await deadline.race(sent);
    const text = await deadline.race(response.text());
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    deadline.check();
    throw connectionError(url, init, error);
  }
}

function connectionError(url: string, init: RequestInit, error: unknown): ConnectionError {
  const { code, message } = innermost(error);
  // An injected fetch may tell what it sent, and that has the credential.
  const secret = new Headers(init.headers).get("authorization")?.replace("Bearer ", "");
  const text = secret === undefined ? message : message.replaceAll(secret, "[credential]");
  return new ConnectionError(`Cannot reach ${new URL(url).origin}: ${text}.`, {
    cause: Object.assign(new Error(text), { code }),
    status: null,
    retryAfterMs: null,
    mayHaveTakenEffect: !unsent.test(code),
  });
}

/** `fetch` fails with a general error, and has the reason inside. */
function innermost(error: unknown): { readonly message: string; readonly code: string } {
  let current = error;
  for (let depth = 0; depth < 5; depth++) {
    const { cause, errors } = (current ?? {}) as { cause?: unknown; errors?: readonly unknown[] };
    // Several addresses were tried, each with an error.
    const inner = cause ?? errors?.[0];
    if (inner == null) break;
    current = inner;
  }
  const { message, code, name } = (current ?? {}) as Partial<Error> & { code?: unknown };
  return { message: message || name || String(current), code: String(code) };
}
