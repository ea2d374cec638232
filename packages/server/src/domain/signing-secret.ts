/** A Standard Webhooks secret: `whsec_` and the key in base64. */
const prefix = "whsec_";
const shortestKey = 24;
const longestKey = 64;

/** The number of random bytes in a generated secret. */
export const generatedKeyLength = 32;

export function signingSecretOf(key: Uint8Array): string {
  return prefix + Buffer.from(key).toString("base64");
}

/** What is wrong with a secret that a caller sends; undefined: nothing. */
export function signingSecretFault(secret: string): string | undefined {
  if (!secret.startsWith(prefix)) return `it must begin with ${prefix}`;
  const encoded = secret.slice(prefix.length);
  const key = Buffer.from(encoded, "base64");
  if (key.toString("base64") !== encoded) return `base64 with padding must follow ${prefix}`;
  if (key.length < shortestKey || key.length > longestKey) {
    return `it must hold ${shortestKey} to ${longestKey} bytes, not ${key.length}`;
  }
  return undefined;
}

/** The key of a secret. Throws for a secret that `signingSecretFault` refuses. */
export function signingKeyOf(secret: string): Buffer {
  const fault = signingSecretFault(secret);
  if (fault !== undefined) throw new TypeError(`not a signing secret: ${fault}`);
  return Buffer.from(secret.slice(prefix.length), "base64");
}
