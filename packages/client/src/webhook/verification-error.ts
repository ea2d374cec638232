import { PostdateError } from "../errors.ts";

/**
 * Why a request is not accepted.
 *
 * - `missing-header`: it has no `webhook-id`, `webhook-timestamp` or `webhook-signature`.
 * - `bad-header`: its `webhook-timestamp` is not a number of seconds, or its `webhook-id` has a full stop, so that
 *   what was signed could be read in two ways.
 * - `too-old`, `too-new`: it was signed further from now than the tolerance allows.
 * - `no-match`: no signature was made with one of the secrets for this body.
 * - `too-large`: its body is larger than `maxBodyBytes`.
 * - `unreadable-body`: the connection broke before the whole body had arrived.
 * - `parsed-body`: something in front has read the body, so its raw bytes are gone. The receiver is at fault.
 * - `bad-secret`: the receiver was given no secret, or one that is none. The receiver is at fault.
 */
export type VerificationFailure =
  | "missing-header"
  | "bad-header"
  | "too-old"
  | "too-new"
  | "no-match"
  | "too-large"
  | "unreadable-body"
  | "parsed-body"
  | "bad-secret";

/**
 * The request is not a genuine delivery, or cannot be checked. `reason` says which; the message says what to do.
 *
 * @example
 * ```ts
 * import { verify, VerificationError } from "@postdate/client/webhook";
 *
 * const request = new Request("https://example.com/hook", { method: "POST" });
 * try {
 *   await verify(request, { secret: process.env.POSTDATE_WEBHOOK_SECRET });
 * } catch (error) {
 *   if (error instanceof VerificationError) console.log(error.reason); // "missing-header"
 * }
 * ```
 */
export class VerificationError extends PostdateError {
  override name = "VerificationError";
  declare readonly reason: VerificationFailure;

  constructor(reason: VerificationFailure, message: string, cause?: unknown) {
    super(message, cause);
    this.reason = reason;
  }
}
