import { stateOfKey } from "../../domain/signing-keys.ts";
import type { SigningKeyPlan } from "../../domain/signing-keys.ts";
import type { TrustedIssuer } from "../../domain/trusted-issuer.ts";
import type { KeptSigningKey } from "../../storage/store.ts";
import type { AccessTokens, SigningKey } from "../access-tokens.ts";
import { readUnverified } from "./claims.ts";
import { createKeyRing } from "./key-ring.ts";
import type { KeyRingOptions } from "./key-ring.ts";
import { createOwnTokens } from "./own-tokens.ts";
import { publicKeyOf } from "./signing-key-pair.ts";
import { createTrustedIssuers } from "./trusted-issuers.ts";

export interface AccessTokensOptions extends Omit<KeyRingOptions, "times"> {
  /** The issuer that our tokens name: the public address, or the one that the service listens on. */
  readonly issuer: () => string;
  readonly publicUrl: string | null;
  readonly tokenLifetimeMs: number;
  readonly signingKeyRotationMs: number;
  readonly trustedIssuers: readonly TrustedIssuer[];
}

export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const { publicUrl, tokenLifetimeMs, signingKeyRotationMs } = options;
  const times = { tokenLifetimeMs, rotationMs: signingKeyRotationMs };
  const ring = createKeyRing({ ...options, times });
  const own = createOwnTokens({ ...options, ring });
  const trusted = createTrustedIssuers({ ...options, issuers: options.trustedIssuers });

  return {
    issue: (grant) => own.issue(grant),
    verifyOwn: (token) => own.verify(token),
    async verify(token) {
      const issuer = readUnverified(token)?.issuer;
      if (issuer === undefined) return undefined;
      if (issuer === publicUrl) return own.verify(token);
      const others = trusted.get(issuer);
      if (others !== undefined) return others.verify(token);
      return publicUrl === null ? own.verify(token) : undefined;
    },
    async publicKeys() {
      return { keys: (await ring.plan()).keys.map(publicKeyOf) };
    },
    listSigningKeys: async () => signingKeys(await ring.plan()),
    rotateSigningKey: async (removeOld, noteOf) =>
      signingKeys(await ring.rotate(removeOld, noteOf)),
  };
}

function signingKeys(plan: SigningKeyPlan<KeptSigningKey>): SigningKey[] {
  return plan.keys.map((key) => ({
    keyId: key.keyId,
    creationTime: key.creationTime,
    state: stateOfKey(key, plan),
  }));
}
