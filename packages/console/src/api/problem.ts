import { ApiError, ConnectionError, InputError, TimeoutError } from "@postdate/client";

/** A failure in words: what happened, and what to do about it. */
export interface Problem {
  readonly title: string;
  readonly advice: string;
  /** What the server's log calls the request. */
  readonly requestId: string | null;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) return refusal(error);
  if (error instanceof TimeoutError) {
    return {
      title: "The server did not answer in time.",
      advice: "What you asked for may have happened. Look before you do it again.",
      requestId: null,
    };
  }
  if (error instanceof ConnectionError) {
    return {
      title: "The server cannot be reached.",
      advice: "Check that it runs and that you are connected. This page tries again by itself.",
      requestId: null,
    };
  }
  if (error instanceof InputError) {
    return { title: error.message, advice: "Correct it and try again.", requestId: null };
  }
  return {
    title: "This page has failed.",
    advice: `Load it again. If it fails again, report this: ${String(error)}`,
    requestId: null,
  };
}

function refusal({ status, errors, requestId, retryAfterMs }: ApiError): Problem {
  return {
    title: errors.map(({ message }) => message).join(" "),
    advice: adviceFor(status, retryAfterMs),
    requestId,
  };
}

function adviceFor(status: number, retryAfterMs: number | null): string {
  const seconds = Math.ceil((retryAfterMs ?? 1_000) / 1_000);
  if (status === 401) return "Sign in again.";
  if (status === 403) return "Sign in with a key that has this scope.";
  if (status === 404) return "It may have been removed. Go back to the list.";
  if (status === 409) return "Somebody or something was faster. Look at it as it is now.";
  if (status === 429) return `The account is over its limit. Try again in ${seconds} s.`;
  if (status === 503) return `The server is busy or starting. Try again in ${seconds} s.`;
  if (status >= 500) return "Try again. The server's log has the cause, under the request's id.";
  return "Correct it and try again.";
}
