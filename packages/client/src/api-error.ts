import { PostdateError } from "./errors.ts";
import type { ErrorCode, ErrorObject, OAuthErrorCode } from "./types/errors.ts";

export interface Refusal {
  readonly status: number;
  readonly errors: readonly ErrorObject[];
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
}

/**
 * Postdate refused the request. `code` is the code of the first problem, `errors` has all of them.
 *
 * @example
 * ```ts
 * import { ApiError } from "@postdate/client";
 *
 * try {
 *   await postdate.messages.cancel("msg_01k9xvq8c7e4nv3q0t2m5r8w1z");
 * } catch (error) {
 *   if (!(error instanceof ApiError && error.code === "E-DI-5003")) throw error;
 *   console.log("Too late: it was delivered.");
 * }
 * ```
 */
export class ApiError extends PostdateError {
  override name = "ApiError";
  /** A newer server may have codes that this version of the client does not know. */
  declare readonly code: ErrorCode | OAuthErrorCode;
  declare readonly status: number;
  declare readonly errors: readonly ErrorObject[];
  /** What the server's log calls this request. */
  declare readonly requestId: string | null;
  /** How long the server asked to wait. */
  declare readonly retryAfterMs: number | null;

  constructor(refusal: Refusal) {
    const { errors } = refusal;
    super(errors.map(textOf).join(" "));
    Object.assign(this, refusal, { code: errors[0]?.code });
  }
}

function textOf({ code, message, field }: ErrorObject): string {
  return `${code}: ${message}${field ? ` (${field})` : ""}`;
}
