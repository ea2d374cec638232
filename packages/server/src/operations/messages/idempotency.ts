import { hash } from "node:crypto";
import type { Instant } from "../../domain/message.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Idempotency } from "../../storage/store.ts";

const visibleAscii = /^[\x21-\x7e]{1,255}$/;

export function idempotencyKeyProblem(key: string | undefined): Problem | undefined {
  if (key === undefined || visibleAscii.test(key)) return undefined;
  return {
    code: codes.invalidRequest,
    message: "Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces.",
    field: "Idempotency-Key",
  };
}

/** The prefixes keep the keys of single calls and of batch items apart, whatever callers choose. */
export function singleKey(key: string): string {
  return `one:${key}`;
}

export function batchItemKey(key: string, index: number): string {
  return `batch:${key}/${index}`;
}

/** Target ids have no line breaks, so two different requests never have the same content string. */
export function idempotencyOf(
  key: string,
  request: { readonly targetId: string; readonly deliveryTime: Instant; readonly payload: string },
): Idempotency {
  const content = `${request.targetId}\n${request.deliveryTime}\n${request.payload}`;
  return { key, fingerprint: hash("sha256", content, "base64url") };
}

export const keyReused: Problem = {
  code: codes.idempotencyKeyReused,
  message:
    "This Idempotency-Key was used before, for another request. Use a new key, or repeat the first request unchanged.",
  field: "Idempotency-Key",
};
