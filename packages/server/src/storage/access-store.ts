import type { AccessKey, Scope } from "../domain/access.ts";
import type { Account } from "../domain/account.ts";
import type { AuditNote } from "../domain/audit.ts";
import type { Client, ClientSecrets } from "../domain/client.ts";

export interface NewAccessKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the key, in hex: the key itself is never kept. */
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

/** A key, and the account it opens, in whichever state. */
export interface FoundKey {
  readonly key: AccessKey;
  readonly account: Account;
}

export interface FoundClient {
  readonly client: Client;
  readonly secrets: ClientSecrets;
  readonly account: Account;
}

/** What an access token says of itself, once its signature was found to be good. */
export interface TokenRef {
  readonly accountId: string;
  /** Null for a token of another issuer. */
  readonly clientId: string | null;
  readonly tokenId: string | null;
}

/** Credentials. Nothing is found of an account that was removed. */
export interface AccessStore {
  /** Undefined where the account is gone; refused where it has `mostKeys` already. */
  createKey(key: NewAccessKey, note: AuditNote): Promise<AccessKey | "too-many" | undefined>;
  /** As `createKey`, taking the place of a key with the same id, and however many there are. */
  replaceKey(key: NewAccessKey, note: AuditNote): Promise<AccessKey | undefined>;
  findKey(hash: string): Promise<FoundKey | undefined>;
  listKeys(accountId: string): Promise<AccessKey[]>;
  /** The key as it was; undefined where there is no such key. */
  revokeKey(accountId: string, keyId: string, note: AuditNote): Promise<AccessKey | undefined>;

  /** Undefined where the account is gone; refused where it has `mostClients` already. */
  createClient(client: NewClient, note: AuditNote): Promise<Client | "too-many" | undefined>;
  /** Of whichever account: a client says who it is by its id alone. */
  findClient(clientId: string): Promise<FoundClient | undefined>;
  getClient(accountId: string, clientId: string): Promise<Client | undefined>;
  listClients(accountId: string): Promise<Client[]>;
  /** The old secret counts for so long beside the new one; 0: from here on it opens nothing. */
  rotateClientSecret(
    rotation: {
      readonly accountId: string;
      readonly clientId: string;
      readonly secretHash: string;
      readonly overlapMs: number;
    },
    note: AuditNote,
  ): Promise<Client | undefined>;
  /** Its tokens open nothing from here on. The client as it was; undefined where there is none. */
  removeClient(accountId: string, clientId: string, note: AuditNote): Promise<Client | undefined>;

  /** Undefined where the account or the client is gone, or the token was revoked. */
  findTokenHolder(
    token: TokenRef,
  ): Promise<{ readonly account: Account; readonly client: Client | null } | undefined>;
  /** Kept until the token would have expired anyway. */
  revokeToken(tokenId: string, expirationTime: number): Promise<void>;

  listSigningKeys(): Promise<KeptSigningKey[]>;
  /** Only while `newest` is the newest there is (null: there is none): of several nodes one adds. */
  addSigningKey(
    key: Omit<KeptSigningKey, "creationTime">,
    newest: string | null,
    note: AuditNote,
  ): Promise<boolean>;
  /** False where there is no such key. */
  removeSigningKey(keyId: string, note: AuditNote): Promise<boolean>;
}

/** A key that access tokens are signed with. */
export interface KeptSigningKey {
  readonly keyId: string;
  /** A JWK, as text. */
  readonly publicKey: string;
  /** The private JWK, sealed with the encryption key. */
  readonly sealedPrivateKey: string;
  readonly creationTime: number;
}
