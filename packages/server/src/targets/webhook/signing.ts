import type { Instant } from "../../domain/message.ts";
import { signingKeyOf } from "../../domain/signing-secret.ts";
import type { SigningSecrets } from "../../domain/target.ts";
import { HmacSha256 } from "./hmac-sha256.ts";

interface SigningKeys {
  readonly current: HmacSha256;
  readonly previous: HmacSha256 | null;
}

/** Caches the keys. Decoding a secret costs about as much as a signature, and secrets rarely change. */
const keysOfSecrets = new WeakMap<SigningSecrets, SigningKeys>();

export interface Signed {
  readonly secrets: SigningSecrets;
  readonly messageId: string;
  readonly payload: Uint8Array;
  readonly startTime: Instant;
}

/**
 * The value of `webhook-signature`: signed with the current secret, and with the previous one while it is
 * valid.
 */
export function signatureHeader(signed: Signed, timestamp: string): string {
  const { secrets, startTime } = signed;
  const keys = keysOf(secrets);
  const current = signature(keys.current, signed, timestamp);
  const isOverlap = secrets.previousUntil !== null && startTime < secrets.previousUntil;
  if (keys.previous === null || !isOverlap) return current;
  return `${current} ${signature(keys.previous, signed, timestamp)}`;
}

function signature(key: HmacSha256, { messageId, payload }: Signed, timestamp: string): string {
  return `v1,${key.sign(`${messageId}.${timestamp}.`, payload)}`;
}

function keysOf(secrets: SigningSecrets): SigningKeys {
  let keys = keysOfSecrets.get(secrets);
  if (keys === undefined) {
    const { current, previous } = secrets;
    keys = { current: keyOf(current), previous: previous === null ? null : keyOf(previous) };
    keysOfSecrets.set(secrets, keys);
  }
  return keys;
}

function keyOf(secret: string): HmacSha256 {
  return new HmacSha256(signingKeyOf(secret));
}
