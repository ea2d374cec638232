import { hash } from "node:crypto";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { WantedTime } from "../../domain/wanted-time.ts";
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

/**
 * Keys of single calls, and keys that messages of a batch have of their own: the same call converges either
 * way. The prefixes keep them apart from the keys of whole batches, whatever callers choose.
 */
export function singleKey(key: string): string {
  return `one:${key}`;
}

export function batchItemKey(key: string, index: number): string {
  return `batch:${key}/${index}`;
}

interface KeyedRequest {
  readonly targetId: string;
  readonly deliveryTime: WantedTime;
  readonly payload: string;
  /** As the caller gave them; undefined for a plain message. */
  readonly options: string | undefined;
}

/**
 * Covers what the caller gave: a repeated delay means another instant, and is the same request. Target
 * ids have no line breaks and instants no plus sign, so two different requests never have the same
 * content string. Stores keep fingerprints, so a request must have the same one in later versions.
 */
export function idempotencyOf(
  key: string,
  { targetId, deliveryTime, payload, options }: KeyedRequest,
): Idempotency {
  const time = typeof deliveryTime === "number" ? deliveryTime : `+${deliveryTime.delayMs}`;
  const content = `${targetId}\n${time}\n${payload}`;
  const plain = hash("sha256", content, "base64url");
  return { key, fingerprint: options === undefined ? plain : withOptions(plain, options) };
}

/** The mark keeps it apart from every fingerprint of a plain message. */
function withOptions(plain: string, options: string): string {
  return `o:${hash("sha256", `${plain}\n${options}`, "base64url")}`;
}

export const itemKeyReused: Problem = {
  code: codes.idempotencyKeyReused,
  message:
    "This idempotencyKey was used before, for another request. Use a new key, or repeat the first request unchanged.",
  field: "idempotencyKey",
};

export const keyReused: Problem = {
  code: codes.idempotencyKeyReused,
  message:
    "This Idempotency-Key was used before, for another request. Use a new key, or repeat the first request unchanged.",
  field: "Idempotency-Key",
};
