import type { Scope } from "../domain/access.ts";
import type { AuditNote } from "../domain/audit.ts";
import type { Instant } from "../domain/message.ts";
import type { DatedKey, SigningKeyState } from "../domain/signing-keys.ts";

/** The port to access tokens (JWT, RFC 9068): our own, and those of issuers that the operator trusts. */
export interface AccessTokens {
  /** Makes a token of ours, signed with the current key. */
  issue(grant: TokenGrant): Promise<IssuedToken>;
  /**
   * Checks the signature, the issuer, the audience and the times. The store knows whether the account
   * and the client still exist, and whether the token was revoked. Rejects with `IssuerUnreachable`
   * when the keys of the issuer cannot be read.
   */
  verify(token: string): Promise<VerifiedToken | undefined>;
  /** Like `verify`, for tokens of ours only: asks no other issuer. */
  verifyOwn(token: string): Promise<OwnToken | undefined>;
  /** The keys that verify our tokens, as a JWK set. */
  publicKeys(): Promise<{ readonly keys: PublicKey[] }>;
  /** The oldest first. */
  listSigningKeys(): Promise<SigningKey[]>;
  /**
   * Adds a key at once. With `removeOld` it removes the older keys, which makes all their tokens
   * invalid. Otherwise they stay for as long as they are needed. Returns all keys.
   */
  rotateSigningKey(removeOld: boolean, noteOf: NoteOf): Promise<SigningKey[]>;
}

export interface TokenGrant {
  readonly accountId: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
}

export interface IssuedToken {
  readonly token: string;
  readonly lifetimeMs: number;
}

export interface VerifiedToken {
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** Null for a token of another issuer. */
  readonly clientId: string | null;
  /** Null if the issuer set none. */
  readonly tokenId: string | null;
  /** The client, or the subject that the other issuer names. */
  readonly subject: string;
  readonly expirationTime: Instant;
}

export interface OwnToken extends VerifiedToken {
  readonly clientId: string;
  readonly tokenId: string;
}

/** A public key as JWK (RFC 7517). */
export interface PublicKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: string;
  readonly use: string;
}

export interface SigningKey extends DatedKey {
  readonly state: SigningKeyState;
}

/** Makes the audit note for a key that is created or removed. */
export type NoteOf = (
  action: "signing-key.created" | "signing-key.removed",
  keyId: string,
) => AuditNote;

/** The keys of a trusted issuer cannot be read, so its tokens can be neither accepted nor refused. */
export class IssuerUnreachable extends Error {
  readonly issuer: string;

  constructor(issuer: string, reason: string, options?: ErrorOptions) {
    super(`The keys of ${issuer} cannot be read: ${reason}`, options);
    this.name = "IssuerUnreachable";
    this.issuer = issuer;
  }
}
