import type { AccessKey, Caller } from "../domain/access.ts";
import { hashKey, keyPrefix } from "../operations/create-key.ts";

export type Authenticated = Caller | "missing" | "invalid";

export interface Authenticator {
  /** Whom the `Authorization` header stands for; at once where the key has been seen before. */
  authenticate(authorization: string | undefined): Authenticated | Promise<Authenticated>;
  /** From here on the key is looked up again: it was revoked. */
  forget(keyId: string): void;
}

export interface AuthenticatorOptions {
  readonly findKey: (hash: string) => Promise<AccessKey | undefined>;
  /** How many keys to remember; 0 where others may revoke them without telling. */
  readonly capacity?: number;
}

const scheme = /^bearer +(\S+) *$/i;
const longestKey = 256;

export function createAuthenticator({
  findKey,
  capacity = 1_000,
}: AuthenticatorOptions): Authenticator {
  const known = new Map<string, AccessKey>();
  // Counts revocations, so that a look-up that began before one does not bring the key back.
  let revocations = 0;

  const lookUp = async (hash: string): Promise<Authenticated> => {
    const before = revocations;
    const key = await findKey(hash);
    if (key === undefined) return "invalid";
    if (before !== revocations) return lookUp(hash);
    if (capacity === 0) return key;
    if (known.size >= capacity) known.delete(known.keys().next().value ?? "");
    known.set(hash, key);
    return key;
  };

  return {
    authenticate(authorization) {
      if (authorization === undefined) return "missing";
      const key = keyIn(authorization);
      if (key === undefined) return /^bearer\b/i.test(authorization) ? "invalid" : "missing";
      if (!key.startsWith(keyPrefix) || key.length > longestKey) return "invalid";
      const hash = hashKey(key);
      return known.get(hash) ?? lookUp(hash);
    },
    forget(keyId) {
      revocations++;
      for (const [hash, key] of known) if (key.keyId === keyId) known.delete(hash);
    },
  };
}

function keyIn(authorization: string): string | undefined {
  // Nearly every client writes it exactly so.
  if (authorization.startsWith("Bearer pd_") && !authorization.includes(" ", 7)) {
    return authorization.slice(7);
  }
  return scheme.exec(authorization)?.[1];
}
