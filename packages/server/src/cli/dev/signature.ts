import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

const toleranceSeconds = 300;

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The fault of a request's signature (Standard Webhooks); undefined: it has none. */
export function signatureFault({ headers, body, secret, now }: SignedRequest): string | undefined {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const signatures = headers["webhook-signature"];
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signatures !== "string") {
    return "not signed";
  }
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) {
    return "timestamp too far from now";
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  const isSigned = signatures.split(" ").some((signature) => {
    if (!signature.startsWith("v1,")) return false;
    const given = Buffer.from(signature.slice(3), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isSigned ? undefined : "wrong signature";
}
