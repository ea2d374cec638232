import type { AccessKey, Scope } from "../domain/access.ts";
import type { Account } from "../domain/account.ts";
import type { AuditNote } from "../domain/audit.ts";
import type { Client, ClientSecrets } from "../domain/client.ts";

export interface NewAccessKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the key, in hex. The key itself is never stored. */
  readonly hash: string;
}

export interface NewClient {
  readonly accountId: string;
  readonly clientId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the secret, in hex. */
  readonly secretHash: string;
}

/** A key and the account that it opens. The account may be in any state. */
export interface FoundKey {
  readonly key: AccessKey;
  readonly account: Account;
}

export interface FoundClient {
  readonly client: Client;
  readonly secrets: ClientSecrets;
  readonly account: Account;
}

/** The content of an access token whose signature is valid. */
export interface TokenRef {
  readonly accountId: string;
  /** Null for a token from another issuer. */
  readonly clientId: string | null;
  readonly tokenId: string | null;
}

/** Credentials. The store finds no credential of a removed account. */
export interface AccessStore {
  /** Undefined if the account is gone. Refused if it has `mostKeys` already. */
  createKey(key: NewAccessKey, note: AuditNote): Promise<AccessKey | "too-many" | undefined>;
  /** As `createKey`, but replaces a key with the same id, and ignores `mostKeys`. */
  replaceKey(key: NewAccessKey, note: AuditNote): Promise<AccessKey | undefined>;
  findKey(hash: string): Promise<FoundKey | undefined>;
  listKeys(accountId: string): Promise<AccessKey[]>;
  /** Answers with the key as it was; undefined if there is no such key. */
  revokeKey(accountId: string, keyId: string, note: AuditNote): Promise<AccessKey | undefined>;

  /** Undefined if the account is gone. Refused if it has `mostClients` already. */
  createClient(client: NewClient, note: AuditNote): Promise<Client | "too-many" | undefined>;
  /** In any account: a client identifies itself by its id alone. */
  findClient(clientId: string): Promise<FoundClient | undefined>;
  getClient(accountId: string, clientId: string): Promise<Client | undefined>;
  listClients(accountId: string): Promise<Client[]>;
  /** The old secret stays valid for the given time; 0 ends it at once. */
  rotateClientSecret(
    rotation: {
      readonly accountId: string;
      readonly clientId: string;
      readonly secretHash: string;
      readonly overlapMs: number;
    },
    note: AuditNote,
  ): Promise<Client | undefined>;
  /**
   * Its tokens open nothing from now on. Answers with the removed client; undefined if there is
   * none.
   */
  removeClient(accountId: string, clientId: string, note: AuditNote): Promise<Client | undefined>;

  /** Undefined if the account or the client is gone, or the token was revoked. */
  findTokenHolder(
    token: TokenRef,
  ): Promise<{ readonly account: Account; readonly client: Client | null } | undefined>;
  /** The store keeps the revocation until the token's own expiry. */
  revokeToken(accountId: string, tokenId: string, expirationTime: number): Promise<void>;

  listSigningKeys(): Promise<KeptSigningKey[]>;
  /**
   * Adds only while `newest` is the newest key (null: there is none): of several nodes, one
   * succeeds.
   */
  addSigningKey(
    key: Omit<KeptSigningKey, "creationTime">,
    newest: string | null,
    note: AuditNote,
  ): Promise<boolean>;
  /** False if there is no such key. */
  removeSigningKey(keyId: string, note: AuditNote): Promise<boolean>;
}

/** A key that signs access tokens. */
export interface KeptSigningKey {
  readonly keyId: string;
  /** A JWK as text. */
  readonly publicKey: string;
  /** The private JWK, sealed with the encryption key. */
  readonly sealedPrivateKey: string;
  readonly creationTime: number;
}
