import { headerOf } from "./header.ts";
import type { HeadersLike } from "./header.ts";
import { readBody } from "./raw-body.ts";
import type { WithBody } from "./raw-body.ts";
import { isSigned } from "./signature.ts";
import { signingKeysOf } from "./signing-keys.ts";
import type { SecretChoice } from "./signing-keys.ts";
import { VerificationError } from "./verification-error.ts";
import type { Webhook } from "./webhook.ts";

export interface VerifyOptions {
  /** The target's secret (`whsec_…`). While it rotates: the current and the previous one. */
  readonly secret: SecretChoice;
  /** How far the time of the signature may be from now. 5 minutes by default. */
  readonly toleranceMs?: number;
  /** The longest body that is read. 262,144 by default, which every payload of Postdate fits into. */
  readonly maxBodyBytes?: number;
  /** The time, in milliseconds since 1970. `Date.now` by default. */
  readonly now?: () => number;
}

/** A Web `Request`, or headers and raw body of any other request. */
export interface RawRequest extends WithBody {
  readonly headers: HeadersLike;
}

/**
 * Checks that a request is a genuine delivery, and reads it. Throws a `VerificationError` if it is not.
 *
 * @example
 * ```ts
 * import { verify } from "@postdate/client/webhook";
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const { messageId, payload } = await verify(request, { secret: process.env.POSTDATE_WEBHOOK_SECRET });
 *   console.log(messageId, payload);
 *   return new Response(null, { status: 204 });
 * }
 * ```
 */
export async function verify(
  request: RawRequest,
  // A payload has up to 61,440 characters, of 4 bytes at most.
  { secret, toleranceMs = 300_000, maxBodyBytes = 262_144, now = Date.now }: VerifyOptions,
): Promise<Webhook> {
  const header = (name: string): string | null => headerOf(request.headers, name);
  const required = (name: string, form = /./): string => {
    const value = header(name);
    if (!value) throw new VerificationError("missing-header", `There is no ${name}.`);
    if (form.test(value)) return value;
    throw new VerificationError("bad-header", `${name} is malformed.`);
  };
  const keys = signingKeysOf(secret);
  // Full stops separate what is signed. With one in the id, the body could begin earlier or later.
  const messageId = required("webhook-id", /^[^.]+$/);
  const timestamp = required("webhook-timestamp", /^\d{1,12}$/);
  const signatures = required("webhook-signature");
  checkTime(Number(timestamp), toleranceMs, now());

  // A stranger's body is not read before the headers are in order.
  const body = await readBody(request, maxBodyBytes);
  const content = new Blob([`${messageId}.${timestamp}.`, body]);
  if (!(await isSigned(content, signatures, keys))) {
    throw new VerificationError(
      "no-match",
      "No signature matches. Is secret the target's or event endpoint's own, and the body unchanged?",
    );
  }

  // The decoder would drop a byte order mark at the start, which is a character like any other here.
  const payload = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await body.arrayBuffer());
  return {
    messageId,
    timestamp: new Date(Number(timestamp) * 1_000),
    payload,
    attempt: Number(header("postdate-attempt")) || null,
    targetId: header("postdate-target"),
    originalDeliveryTime: header("postdate-original-delivery-time"),
    scheduleId: header("postdate-schedule"),
    runTime: header("postdate-run-time"),
    json: () => JSON.parse(payload),
  };
}

/** The header counts whole seconds, so the time that it is compared with does too. */
function checkTime(timestamp: number, toleranceMs: number, nowMs: number): void {
  const ageSeconds = Math.floor(nowMs / 1_000) - timestamp;
  // In this form a tolerance that is no number refuses everything.
  if (Math.abs(ageSeconds) * 1_000 <= toleranceMs) return;
  throw new VerificationError(
    ageSeconds < 0 ? "too-new" : "too-old",
    `The signature is ${ageSeconds} s old. Is the clock right?`,
  );
}
