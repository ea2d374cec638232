import { headerOf } from "./header.ts";
import type { HeadersLike } from "./header.ts";
import { heldBytes, requestBytes, tooLarge } from "./raw-body.ts";
import type { ReadBody } from "./raw-body.ts";
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

/** Headers and raw body, for whoever has no Web `Request`. */
export interface RawRequest {
  readonly headers: HeadersLike;
  readonly body: string | Uint8Array | ArrayBuffer;
}

const fiveMinutes = 300_000;
/** A payload has up to 61,440 characters, of 4 bytes at most. */
const longestBody = 262_144;

/**
 * Checks that a request is a genuine delivery, and reads it. Throws a `VerificationError` if it is not.
 *
 * @example
 * const { messageId, payload } = await verify(request, { secret: process.env["POSTDATE_WEBHOOK_SECRET"] });
 * @example
 * const { payload } = await verify({ headers, body: rawBytes }, { secret: [current, previous] });
 */
export async function verify(
  request: Request | RawRequest,
  options: VerifyOptions,
): Promise<Webhook> {
  return verifySource(request.headers, readerOf(request), options);
}

export function readerOf(request: Request | RawRequest): ReadBody {
  return async (maxBytes) =>
    "arrayBuffer" in request ? requestBytes(request, maxBytes) : heldBytes(request.body, maxBytes);
}

/** Reads the body only if the headers are in order. */
export async function verifySource(
  headers: HeadersLike,
  readBody: ReadBody,
  { secret, toleranceMs = fiveMinutes, maxBodyBytes = longestBody, now = Date.now }: VerifyOptions,
): Promise<Webhook> {
  atLeastZero("toleranceMs", toleranceMs);
  atLeastZero("maxBodyBytes", maxBodyBytes);
  const keys = signingKeysOf(secret);

  const messageId = required(headers, "webhook-id");
  const timestamp = required(headers, "webhook-timestamp");
  const signatures = required(headers, "webhook-signature");
  const timestampMs = timeOf(timestamp, toleranceMs, now());

  if (Number(headerOf(headers, "content-length")) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const body = await readBody(maxBodyBytes);
  if (!(await isSigned({ messageId, timestamp, body }, signatures, keys))) {
    throw new VerificationError(
      "no-match",
      "No signature matches. Is the secret the one of this target, and the body exactly as it was sent?",
    );
  }

  // The decoder would drop a byte order mark at the start, which is a character like any other here.
  const payload = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  const attempt = Number(headerOf(headers, "postdate-attempt"));
  const original = new Date(headerOf(headers, "postdate-original-delivery-time") ?? Number.NaN);
  return {
    messageId,
    timestamp: new Date(timestampMs),
    payload,
    attempt: Number.isInteger(attempt) && attempt > 0 ? attempt : null,
    targetId: headerOf(headers, "postdate-target"),
    originalDeliveryTime: Number.isNaN(original.getTime()) ? null : original,
    json() {
      try {
        return JSON.parse(payload);
      } catch (error) {
        throw new SyntaxError(`The payload of ${messageId} is not JSON.`, { cause: error });
      }
    },
  };
}

function required(headers: HeadersLike, name: string): string {
  const value = headerOf(headers, name);
  if (value) return value;
  throw new VerificationError("missing-header", `The request has no ${name} header.`);
}

/** The header counts whole seconds, so the time that it is compared with does too. */
function timeOf(timestamp: string, toleranceMs: number, nowMs: number): number {
  const timestampMs = Number(timestamp) * 1_000;
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new VerificationError("bad-timestamp", "webhook-timestamp is not a number of seconds.");
  }
  const ageMs = Math.floor(nowMs / 1_000) * 1_000 - timestampMs;
  if (Math.abs(ageMs) <= toleranceMs) return timestampMs;
  throw new VerificationError(
    ageMs > 0 ? "too-old" : "too-new",
    `The signature's time is ${Math.abs(ageMs) / 1_000} s ${ageMs > 0 ? "ago" : "ahead"}. ` +
      `${toleranceMs / 1_000} s are allowed. Is this machine's clock right?`,
  );
}

/** A comparison with NaN is always false, and would switch a check off. */
function atLeastZero(name: string, value: number): void {
  if (!(value >= 0)) throw new RangeError(`${name} must be a number of 0 or more, not ${value}.`);
}
