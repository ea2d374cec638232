import { VerificationError } from "./verification-error.ts";

/** One secret, or several while it rotates. Entries of a list that are empty or undefined do not count. */
export type SecretChoice = string | undefined | readonly (string | undefined)[];

/** Standard Webhooks asks for as many bytes. A shorter key can be guessed, and an empty one everybody has. */
const shortestKey = 24;

/** The keys of the secrets. Throws if there is none. */
export function signingKeysOf(secret: SecretChoice): Uint8Array<ArrayBuffer>[] {
  try {
    const keys = [secret].flat().flatMap((each) => (each ? [keyOf(each)] : []));
    if (keys.length > 0) return keys;
  } catch {
    // Neither a secret nor a part of it belongs in an error, which ends up in logs.
  }
  throw new VerificationError(
    "bad-secret",
    `secret must be whsec_ and base64 of ${shortestKey} bytes or more. Is it set?`,
  );
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = secret.replace(/^\s*whsec_/, "");
  const key = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  if (key.length < shortestKey) throw new RangeError();
  return key;
}
