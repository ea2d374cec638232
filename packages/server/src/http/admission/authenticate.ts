import { hash, timingSafeEqual } from "node:crypto";
import type { Credential } from "../../domain/access.ts";
import { sessionIdPattern, sessionPrefix } from "../../operations/access/session-id.ts";
import { StoreUnavailable } from "../../operations/operations.ts";
import type { Clock } from "../../platform/clock.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { KnownCredentials } from "./known-credentials.ts";
import { ShownSession } from "./shown-credential.ts";
import type { Shown } from "./shown-credential.ts";

export type Authenticated = Credential | "operator" | "missing" | "invalid";

export interface Authenticator {
  /**
   * Finds the caller who shows a credential, at once if the credential is remembered. Otherwise it is
   * looked up. Look-ups of strangers take turns by the address that they come `from`.
   */
  authenticate(shown: Shown, from?: string): Authenticated | Promise<Authenticated>;
  /** The same, if it is known without a look-up. Otherwise undefined. */
  recall(shown: Shown): Authenticated | undefined;
  /** The account that had the credential at the last look-up. A look-up counts for it. */
  claimant(shown: Shown): string | undefined;
  /** Whether it is a key or a session that this service has made. It may have ended. */
  isMarked(shown: Shown): boolean;
  /** The current moment, for `isJustNow`. */
  moment(): AuthenticationMoment;
  /** Whether so little time has passed, without a change, that the caller need not be authenticated again. */
  isJustNow(moment: AuthenticationMoment): boolean;
  /**
   * Makes the next use of each credential of the account look it up again, because something about them
   * has changed. Null for all accounts.
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
  /** Whether a key has a mark that only this service can make. */
  readonly isMarkedKey: (key: string) => boolean;
  readonly clock: Clock;
  /**
   * How long a look-up counts, from its start. If other nodes may rely on a look-up of their own, a
   * revocation is answered only after this time.
   */
  readonly rememberMs: number;
  /** How many credentials to remember. */
  readonly capacity?: number;
}

const scheme = /^bearer +(\S+) *$/i;
/** In characters. Access tokens are longer than keys, but bounded too. */
const longestKey = 256;
const longestToken = 8_192;
/** If the store is slow this many times, it cannot say what holds now. */
const mostTries = 3;
/** If the body arrives within this time, the credential is not checked again. */
const justNowMs = 20;
/** An issuer may withdraw the key of an access token without notice. */
const longestRelianceMs = 60_000;
/** A revoked key costs at most one look-up in this time. */
const goneMs = 1_000;
/** How many look-ups of possibly made-up keys are under way at once. Each asks the store. */
const strangersKeys = { places: 2 };
/** The same for tokens. Most cost the check of a signature, some wait for the keys of their issuer. */
const strangersTokens = { places: 64, placesOfOne: 16 };
/** Three parts of base64url. Anything else is refused without a look-up. */
const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Remembers which account each credential belongs to. A credential that was valid at the last look-up, or a
 * key with the mark of this service, is looked up at once. Anything else may be made up. Only a few of
 * those look-ups run at a time, and addresses take turns. So strangers wait only for each other, and
 * callers do not wait for strangers.
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
  // Marked keys that no longer exist, and the time until which they are not looked up again.
  const goneUntil = new Map<string, number>();
  const keysInTurn = new PlacesInTurn(strangersKeys);
  const tokensInTurn = new PlacesInTurn(strangersTokens);
  let changes = 0;
  // For each look-up under way, the accounts that changed meanwhile. So no look-up brings back an old credential.
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

  /** Requests with the same credential share one look-up. */
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
    shown: string | ShownSession,
  ): Authenticated | undefined => {
    if (bearer === undefined) return isOfOurKind(shown) ? "invalid" : "missing";
    const remembered = known.get(bearer);
    if (remembered !== undefined) {
      const { since, until, credential } = remembered;
      return isFresh(since) && isValid(until) ? credential : undefined;
    }
    if (bearer.startsWith("pdo_")) return isOperator(operatorHash, bearer) ? "operator" : "invalid";
    // Every session has a mark, so a made-up one costs no look-up.
    if (bearer.startsWith(sessionPrefix) && !isMarkedKey(bearer)) return "invalid";
    if (!isWellFormed(bearer)) return "invalid";
    return clock.monotonic() < (goneUntil.get(bearer) ?? -Infinity) ? "invalid" : undefined;
  };

  return {
    authenticate(shown, from = "") {
      if (shown === undefined) return "missing";
      const bearer = bearerIn(shown);
      return recallBearer(bearer, shown) ?? join(bearer!, from);
    },
    recall: (shown) => (shown === undefined ? "missing" : recallBearer(bearerIn(shown), shown)),
    claimant(shown) {
      const bearer = shown === undefined ? undefined : bearerIn(shown);
      return bearer === undefined ? undefined : known.get(bearer)?.credential.account.accountId;
    },
    isMarked(shown) {
      const bearer = shown === undefined ? undefined : bearerIn(shown);
      return bearer !== undefined && isMarkedKey(bearer);
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

/** Drops the oldest entry if there is no room for one more. */
function keepWithin<Value>(entries: Map<string, Value>, capacity: number): Map<string, Value> {
  if (entries.size >= capacity) entries.delete(entries.keys().next().value ?? "");
  return entries;
}

function isOfOurKind(shown: string | ShownSession): boolean {
  return shown instanceof ShownSession || /^bearer\b/i.test(shown);
}

/** A session counts only as a cookie, and nothing else does: a page of another origin cannot make use of it. */
function bearerIn(shown: string | ShownSession): string | undefined {
  if (shown instanceof ShownSession) return sessionIdPattern.test(shown.id) ? shown.id : undefined;
  // Nearly every client writes the header exactly like this.
  if (shown.startsWith("Bearer pd_") && !shown.includes(" ", 7)) return shown.slice(7);
  const bearer = scheme.exec(shown)?.[1];
  return bearer?.startsWith(sessionPrefix) === true ? undefined : bearer;
}

function isWellFormed(bearer: string): boolean {
  if (bearer.startsWith("pd_")) return bearer.length <= longestKey;
  return bearer.length <= longestToken && (tokenForm.test(bearer) || sessionIdPattern.test(bearer));
}

function digest(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/** Digests have equal length whatever was sent, and the comparison takes constant time. */
function isOperator(operatorHash: Buffer | undefined, bearer: string): boolean {
  return operatorHash !== undefined && timingSafeEqual(operatorHash, digest(bearer));
}
