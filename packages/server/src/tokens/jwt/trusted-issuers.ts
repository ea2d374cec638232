import { errors, jwtVerify } from "jose";
import type { CryptoKey, JWTPayload, JWTVerifyOptions } from "jose";
import { accountIdPattern } from "../../domain/account.ts";
import type { Scope } from "../../domain/access.ts";
import type { TrustedIssuer } from "../../domain/trusted-issuer.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Timers } from "../../platform/timers.ts";
import type { VerifiedToken } from "../access-tokens.ts";
import { expirationIn, nameIn, readUnverified, scopesNamed } from "./claims.ts";
import type { Claims } from "./claims.ts";
import { createIssuerKeys } from "./issuer-keys.ts";
import type { KeySet } from "./issuer-keys.ts";
import { MissingKeys } from "./missing-keys.ts";

export interface TrustedIssuersOptions {
  readonly issuers: readonly TrustedIssuer[];
  readonly clock: Clock;
  readonly timers: Timers;
}

/** By the name of the issuer. */
export type TrustedIssuers = ReadonlyMap<string, IssuerTokens>;

export interface IssuerTokens {
  /** Rejects with `IssuerUnreachable` if the keys are needed and cannot be read. */
  verify(token: string): Promise<VerifiedToken | undefined>;
}

/** Only asymmetric algorithms. With a shared secret, a party that can verify a token can also make one. */
const asymmetric = /^(?:[RPE]S(?:256|384|512)|EdDSA|Ed25519)$/;
const acceptedTypes = new Set([undefined, "jwt", "at+jwt"]);
/** The clock of another issuer may differ a little from ours. */
const clockToleranceSeconds = 5;

export function createTrustedIssuers(options: TrustedIssuersOptions): TrustedIssuers {
  return new Map(options.issuers.map((issuer) => [issuer.issuer, issuerTokens(issuer, options)]));
}

function issuerTokens(
  trusted: TrustedIssuer,
  { clock, timers }: TrustedIssuersOptions,
): IssuerTokens {
  const keys = createIssuerKeys(trusted, { clock, timers });
  const missing = new MissingKeys(clock);
  const algorithms = trusted.algorithms.filter((name) => asymmetric.test(name));
  const demands = (): JWTVerifyOptions => ({
    algorithms,
    issuer: trusted.issuer,
    audience: trusted.audience,
    requiredClaims: ["exp"],
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(clock.now()),
  });

  return {
    async verify(token) {
      const unverified = readUnverified(token);
      if (unverified === undefined || !isAcceptedType(unverified.type)) return undefined;
      try {
        const claims = await checkWith(await keys.get(), token, demands()).catch(
          async (error: unknown) => {
            const { keyId } = unverified;
            if (!mayHaveNewerKey(error, keyId) || missing.has(keyId)) throw error;
            const newer = await keys.getNewer();
            try {
              return await checkWith(newer, token, demands());
            } catch (stillMissing) {
              if (stillMissing instanceof errors.JWKSNoMatchingKey) missing.add(keyId);
              throw stillMissing;
            }
          },
        );
        return verifiedToken(claims, trusted);
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

/** The key set finds the keys that may fit. A token without a key id is tried with all of them. */
async function checkWith(
  keySet: KeySet,
  token: string,
  demands: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keySet, demands)).payload;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) {
      return checkWithEach(error, token, demands);
    }
    if (error instanceof errors.JOSEError) throw error;
    // The published key is broken or too weak. Nothing that it signed counts.
    throw new errors.JOSEError("the key cannot be used", { cause: error });
  }
}

async function checkWithEach(
  keys: AsyncIterable<CryptoKey>,
  token: string,
  demands: JWTVerifyOptions,
): Promise<JWTPayload> {
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, demands)).payload;
    } catch (error) {
      const otherKey = error instanceof errors.JWSSignatureVerificationFailed;
      // Any other error is about the key, not the token: the key is broken or too weak.
      if (!otherKey && error instanceof errors.JOSEError) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function mayHaveNewerKey(error: unknown, keyId: string | undefined): boolean {
  if (error instanceof errors.JWKSNoMatchingKey) return true;
  return keyId === undefined && error instanceof errors.JWSSignatureVerificationFailed;
}

function isAcceptedType(type: string | undefined): boolean {
  return acceptedTypes.has(type?.toLowerCase().replace(/^application\//, ""));
}

function verifiedToken(claims: Claims, trusted: TrustedIssuer): VerifiedToken | undefined {
  const accountId = nameIn(claims, trusted.accountClaim);
  const subject = nameIn(claims, "sub") ?? nameIn(claims, "client_id");
  const tokenId = claims["jti"] === undefined ? null : nameIn(claims, "jti");
  const expirationTime = expirationIn(claims);
  if (accountId === undefined || !accountIdPattern.test(accountId)) return undefined;
  if (subject === undefined || tokenId === undefined || expirationTime === undefined) {
    return undefined;
  }
  const scopes = scopesIn(claims, trusted.scopeClaim);
  return { accountId, scopes, clientId: null, tokenId, subject, expirationTime };
}

/** In RFC 9068 `scope` is one text. Under another claim name, an issuer may also send a list. */
function scopesIn(claims: Claims, claim: string): Scope[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === "string") return scopesNamed(value.split(" "));
  return claim !== "scope" && Array.isArray(value) ? scopesNamed(value) : [];
}
