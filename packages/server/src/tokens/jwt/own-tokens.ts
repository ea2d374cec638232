import { errors, jwtVerify, SignJWT } from "jose";
import { accountIdPattern } from "../../domain/account.ts";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Random } from "../../platform/random.ts";
import type { IssuedToken, OwnToken, TokenGrant } from "../access-tokens.ts";
import { expirationIn, nameIn, readUnverified, scopesNamed } from "./claims.ts";
import type { Claims } from "./claims.ts";
import type { KeyRing } from "./key-ring.ts";
import { signingAlgorithm } from "./signing-key-pair.ts";

export interface OwnTokensOptions {
  readonly ring: Pick<KeyRing, "signer" | "find">;
  readonly random: Random;
  /** The store's clock, so that all nodes issue and check tokens by the same clock. */
  readonly clock: Pick<Clock, "now">;
  /** The issuer that tokens name. */
  readonly issuer: () => string;
  /** Null: each node has its own address, and a token names the node that issued it. */
  readonly publicUrl: string | null;
  readonly tokenLifetimeMs: number;
}

/** Our access tokens, as RFC 9068 describes them. */
export interface OwnTokens {
  issue(grant: TokenGrant): Promise<IssuedToken>;
  verify(token: string): Promise<OwnToken | undefined>;
}

const audience = "postdate";
const type = "at+jwt";

export function createOwnTokens(options: OwnTokensOptions): OwnTokens {
  const { ring, random, clock, issuer, publicUrl } = options;
  const lifetimeSeconds = Math.floor(options.tokenLifetimeMs / 1_000);

  return {
    async issue({ accountId, clientId, scopes }) {
      const { keyId, privateKey } = await ring.signer();
      const now = Math.floor(clock.now() / 1_000);
      const claims = { client_id: clientId, scope: scopes.join(" "), account: accountId };
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: signingAlgorithm, typ: type, kid: keyId })
        .setIssuer(issuer())
        .setSubject(clientId)
        .setAudience(audience)
        .setIssuedAt(now)
        .setExpirationTime(now + lifetimeSeconds)
        .setJti(`tok_${encodeBase32(random.bytes(16))}`)
        .sign(privateKey);
      return { token, lifetimeMs: lifetimeSeconds * 1_000 };
    },

    async verify(token) {
      const keyId = readUnverified(token)?.keyId;
      const key = keyId === undefined ? undefined : await ring.find(keyId);
      if (key === undefined) return undefined;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [signingAlgorithm],
          typ: type,
          audience,
          ...(publicUrl === null ? {} : { issuer: publicUrl }),
          requiredClaims: ["iss", "iat", "exp"],
          currentDate: new Date(clock.now()),
        });
        return ownToken(payload);
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

function ownToken(claims: Claims): OwnToken | undefined {
  const accountId = nameIn(claims, "account");
  const clientId = nameIn(claims, "client_id");
  const tokenId = nameIn(claims, "jti");
  const expirationTime = expirationIn(claims);
  const { sub, scope } = claims;
  if (accountId === undefined || !accountIdPattern.test(accountId)) return undefined;
  if (clientId === undefined || sub !== clientId || typeof scope !== "string") return undefined;
  if (tokenId === undefined || expirationTime === undefined) return undefined;
  const scopes = scopesNamed(scope.split(" "));
  return { accountId, scopes, clientId, tokenId, subject: clientId, expirationTime };
}
