import type { AccessKey, Caller } from "../domain/access.ts";
import { hashKey, keyPrefix } from "../operations/create-key.ts";
import type { Clock } from "../platform/clock.ts";

export type Authenticated = Caller | "missing" | "invalid";

export interface Authenticator {
  /** Whom the `Authorization` header stands for; at once where the key has been seen before. */
  authenticate(authorization: string | undefined): Authenticated | Promise<Authenticated>;
  /** From here on the key is looked up again: it was revoked. */
  forget(keyId: string): void;
}

export interface AuthenticatorOptions {
  readonly findKey: (hash: string) => Promise<AccessKey | undefined>;
  readonly clock: Pick<Clock, "monotonic">;
  /**
   * For how long a look-up counts, from when it began. Where others may revoke a key without telling,
   * a revocation is answered only after as long.
   */
  readonly rememberMs: number;
  /** How many keys to remember. */
  readonly capacity?: number;
}

interface LookUp {
  readonly since: number;
  readonly key: AccessKey;
}

const scheme = /^bearer +(\S+) *$/i;
const longestKey = 256;

export function createAuthenticator({
  findKey,
  clock,
  rememberMs,
  capacity = 1_000,
}: AuthenticatorOptions): Authenticator {
  const known = new Map<string, LookUp>();
  const underWay = new Map<string, Promise<Authenticated>>();
  // Counts revocations, so that a look-up that began before one does not bring the key back.
  let revocations = 0;

  const isFresh = (since: number): boolean => clock.monotonic() - since <= rememberMs;

  const lookUp = async (hash: string): Promise<Authenticated> => {
    const before = revocations;
    const since = clock.monotonic();
    const key = await findKey(hash);
    if (key === undefined) return "invalid";
    if (before !== revocations || !isFresh(since)) return lookUp(hash);
    if (known.size >= capacity) known.delete(known.keys().next().value ?? "");
    known.set(hash, { since, key });
    return key;
  };

  /** Callers with the same key share one look-up. */
  const join = (hash: string): Promise<Authenticated> => {
    let found = underWay.get(hash);
    if (found === undefined) {
      found = lookUp(hash).finally(() => underWay.delete(hash));
      underWay.set(hash, found);
    }
    return found;
  };

  return {
    authenticate(authorization) {
      if (authorization === undefined) return "missing";
      const key = keyIn(authorization);
      if (key === undefined) return /^bearer\b/i.test(authorization) ? "invalid" : "missing";
      if (!key.startsWith(keyPrefix) || key.length > longestKey) return "invalid";
      const hash = hashKey(key);
      const remembered = known.get(hash);
      if (remembered === undefined) return join(hash);
      if (isFresh(remembered.since)) return remembered.key;
      known.delete(hash);
      return join(hash);
    },
    forget(keyId) {
      revocations++;
      for (const [hash, { key }] of known) if (key.keyId === keyId) known.delete(hash);
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
