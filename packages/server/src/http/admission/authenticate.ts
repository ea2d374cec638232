import { hash, timingSafeEqual } from "node:crypto";
import type { Credential } from "../../domain/access.ts";
import { StoreUnavailable } from "../../operations/operations.ts";
import type { Clock } from "../../platform/clock.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { KnownCredentials } from "./known-credentials.ts";

export type Authenticated = Credential | "operator" | "missing" | "invalid";

export interface Authenticator {
  /**
   * Whom the `Authorization` header stands for; at once where the credential has been seen before. Of
   * those that have to be looked up, strangers' take turns by where they come `from`.
   */
  authenticate(
    authorization: string | undefined,
    from?: string,
  ): Authenticated | Promise<Authenticated>;
  /** The same where it can be said at once; undefined where it has to be looked up. */
  recall(authorization: string | undefined): Authenticated | undefined;
  /**
   * On whose account a look-up is made: that of the account whose credential it was at the last look,
   * or of the key itself if only we can have made it. Undefined: a stranger's.
   */
  claimant(authorization: string | undefined): string | undefined;
  /** When somebody was authenticated, to be told from later. */
  moment(): AuthenticationMoment;
  /** Whether nothing can have changed since, so that nobody has to be authenticated again. */
  isJustNow(moment: AuthenticationMoment): boolean;
  /**
   * From here on the account's credentials are looked up again: something about them has changed.
   * Null: those of every account.
   */
  forget(accountId: string | null): void;
}

export interface AuthenticationMoment {
  readonly changes: number;
  readonly at: number;
}

export interface AuthenticatorOptions {
  readonly findCredential: (bearer: string) => Promise<Credential | undefined>;
  readonly operatorKey: string | null;
  /** Whether a key carries our mark, which nobody else can make. */
  readonly isMarkedKey: (key: string) => boolean;
  readonly clock: Clock;
  /**
   * For how long a look-up counts, from when it began. Where others may revoke a credential without
   * telling, a revocation is answered only after as long.
   */
  readonly rememberMs: number;
  /** How many credentials to remember. */
  readonly capacity?: number;
}

const scheme = /^bearer +(\S+) *$/i;
/** Of keys; access tokens say much more, and are bounded all the same. */
const longestKey = 256;
const longestToken = 8_192;
/** A store that is slow each time cannot say what holds now. */
const mostTries = 3;
/** A body that comes at once is not worth a second look. */
const justNowMs = 20;
/** Its issuer may withdraw the key of an access token, and tells nobody. */
const longestRelianceMs = 60_000;
/** A revoked key costs one look-up in so long. */
const goneMs = 1_000;
/** How many look-ups of keys that anybody may have made up are under way at once: each asks the store. */
const strangersKeys = { places: 2 };
/** The same of tokens: most cost a signature, some wait for their issuer's keys. */
const strangersTokens = { places: 64, placesOfOne: 16 };
/** Three parts of base64url: nothing else is worth a look. */
const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Remembers whose credentials are whose. A credential that was good at the last look, and a key that
 * carries our mark, is looked up at once. Anything else may be made up: only a few of those look-ups are
 * made at a time, addresses in turn. So strangers wait for each other, and nobody waits for strangers.
 */
export function createAuthenticator({
  findCredential,
  operatorKey,
  isMarkedKey,
  clock,
  rememberMs,
  capacity = 5_000,
}: AuthenticatorOptions): Authenticator {
  const operatorHash = operatorKey === null ? undefined : digest(operatorKey);
  const known = new KnownCredentials(capacity);
  const underWay = new Map<string, Promise<Authenticated>>();
  // Until when keys with our mark that exist no more are not looked for again.
  const goneUntil = new Map<string, number>();
  const keysInTurn = new PlacesInTurn(strangersKeys);
  const tokensInTurn = new PlacesInTurn(strangersTokens);
  let changes = 0;
  // Whose credentials changed during each look-up, so that none brings an old credential back.
  const changedDuring = new Set<Set<string | null>>();

  const isFresh = (since: number): boolean =>
    since !== -Infinity && (rememberMs === Infinity || clock.monotonic() - since <= rememberMs);
  const isValid = (until: number): boolean => until === Infinity || clock.monotonic() < until;

  const lookUp = async (bearer: string, tries = 1): Promise<Authenticated> => {
    const since = clock.monotonic();
    const changed = new Set<string | null>();
    changedDuring.add(changed);
    const credential = await findCredential(bearer).finally(() => changedDuring.delete(changed));
    if (credential === undefined) {
      known.delete(bearer);
      if (isMarkedKey(bearer)) keepWithin(goneUntil, capacity).set(bearer, since + goneMs);
      return "invalid";
    }
    if (changed.has(null) || changed.has(credential.account.accountId)) {
      return lookUp(bearer, tries);
    }
    if (!isFresh(since)) {
      if (tries < mostTries) return lookUp(bearer, tries + 1);
      throw new StoreUnavailable("credentials cannot be looked up quickly enough to rely on");
    }
    const { expirationTime } = credential;
    const leftMs =
      expirationTime === null
        ? Infinity
        : Math.min(expirationTime - clock.now(), longestRelianceMs);
    known.set(bearer, { since, until: since + leftMs, credential });
    return credential;
  };

  const isStrangers = (bearer: string): boolean => !known.has(bearer) && !isMarkedKey(bearer);

  /** Callers with the same credential share one look-up. */
  const join = (bearer: string, from: string): Promise<Authenticated> => {
    let found = underWay.get(bearer);
    if (found === undefined) {
      const inTurn = bearer.startsWith("pd_") ? keysInTurn : tokensInTurn;
      const looking = isStrangers(bearer) ? inTurn.run(from, () => lookUp(bearer)) : lookUp(bearer);
      found = looking.finally(() => underWay.delete(bearer));
      underWay.set(bearer, found);
    }
    return found;
  };

  const recallBearer = (
    bearer: string | undefined,
    authorization: string,
  ): Authenticated | undefined => {
    if (bearer === undefined) return /^bearer\b/i.test(authorization) ? "invalid" : "missing";
    const remembered = known.get(bearer);
    if (remembered !== undefined) {
      const { since, until, credential } = remembered;
      return isFresh(since) && isValid(until) ? credential : undefined;
    }
    if (bearer.startsWith("pdo_")) return isOperator(operatorHash, bearer) ? "operator" : "invalid";
    if (!isWellFormed(bearer)) return "invalid";
    return clock.monotonic() < (goneUntil.get(bearer) ?? -Infinity) ? "invalid" : undefined;
  };

  return {
    authenticate(authorization, from = "") {
      if (authorization === undefined) return "missing";
      const bearer = bearerIn(authorization);
      return recallBearer(bearer, authorization) ?? join(bearer!, from);
    },
    recall(authorization) {
      if (authorization === undefined) return "missing";
      return recallBearer(bearerIn(authorization), authorization);
    },
    claimant(authorization) {
      const bearer = authorization === undefined ? undefined : bearerIn(authorization);
      if (bearer === undefined) return undefined;
      const accountId = known.get(bearer)?.credential.account.accountId;
      return accountId ?? (isMarkedKey(bearer) ? `key ${bearer}` : undefined);
    },
    moment: () => ({ changes, at: clock.monotonic() }),
    isJustNow: ({ changes: before, at }) =>
      before === changes && clock.monotonic() - at <= justNowMs,
    forget(accountId) {
      changes++;
      for (const changed of changedDuring) changed.add(accountId);
      for (const look of known.values()) {
        const isConcerned = accountId === null || look.credential.account.accountId === accountId;
        if (isConcerned) look.since = -Infinity;
      }
    },
  };
}

/** Drops what came first, where there is no room for one more. */
function keepWithin<Value>(entries: Map<string, Value>, capacity: number): Map<string, Value> {
  if (entries.size >= capacity) entries.delete(entries.keys().next().value ?? "");
  return entries;
}

function bearerIn(authorization: string): string | undefined {
  // Nearly every client writes it exactly so.
  if (authorization.startsWith("Bearer pd_") && !authorization.includes(" ", 7)) {
    return authorization.slice(7);
  }
  return scheme.exec(authorization)?.[1];
}

function isWellFormed(bearer: string): boolean {
  if (bearer.startsWith("pd_")) return bearer.length <= longestKey;
  return bearer.length <= longestToken && tokenForm.test(bearer);
}

function digest(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/** Of equal length whatever was sent, and compared in equal time. */
function isOperator(operatorHash: Buffer | undefined, bearer: string): boolean {
  return operatorHash !== undefined && timingSafeEqual(operatorHash, digest(bearer));
}
