import type { Scope } from "../domain/access.ts";
import type { AuditNote } from "../domain/audit.ts";
import type { Instant } from "../domain/message.ts";
import type { DatedKey, SigningKeyState } from "../domain/signing-keys.ts";

/** The port to access tokens (JWT, RFC 9068): ours, and those of issuers the operator trusts. */
export interface AccessTokens {
  /** A token of ours, signed with the key whose turn it is. */
  issue(grant: TokenGrant): Promise<IssuedToken>;
  /**
   * Whether the signature, the issuer, the audience and the times are good. Whether the account and the
   * client are still there, and whether the token was revoked, is for the store to say. Rejects with
   * `IssuerUnreachable` where that cannot be told.
   */
  verify(token: string): Promise<VerifiedToken | undefined>;
  /** As `verify`, for a token of ours alone: no other issuer is asked. */
  verifyOwn(token: string): Promise<OwnToken | undefined>;
  /** The keys our tokens are verified with, as a JWK set. */
  publicKeys(): Promise<{ readonly keys: PublicKey[] }>;
  /** The oldest first. */
  listSigningKeys(): Promise<SigningKey[]>;
  /**
   * Adds a key at once. With `removeOld` those before it are removed, and all their tokens are void;
   * otherwise they stay for as long as they are needed. Answers with all keys.
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
  /** Null where the issuer gave it none. */
  readonly tokenId: string | null;
  /** Whom the token is about: the client, or what the other issuer calls its subject. */
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

/** What is written down when a key is made or removed. */
export type NoteOf = (
  action: "signing-key.created" | "signing-key.removed",
  keyId: string,
) => AuditNote;

/** The keys of a trusted issuer cannot be had: nobody can tell whether its token is good. */
export class IssuerUnreachable extends Error {
  readonly issuer: string;

  constructor(issuer: string, reason: string, options?: ErrorOptions) {
    super(`The keys of ${issuer} cannot be read: ${reason}`, options);
    this.name = "IssuerUnreachable";
    this.issuer = issuer;
  }
}
