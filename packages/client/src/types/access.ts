/** What a credential allows. */
export type Scope =
  | "scheduler.all.read"
  | "scheduler.all.readwrite"
  | "scheduler.messages.read"
  | "scheduler.messages.readwrite";

/** An API key, without the key itself. */
export interface AccessKey {
  keyId: string;
  name: string;
  scopes: Scope[];
  creationTime: string;
}

/** A new API key. `key` is shown once. */
export interface AccessKeyWithKey extends AccessKey {
  key: string;
}

export interface CreateKey {
  /** 1 to 100 characters, without control characters. */
  name: string;
  /** No more than the credential that creates the key has. */
  scopes: Scope[];
}

/** An OAuth 2.0 client, without its secret. */
export interface Client {
  clientId: string;
  name: string;
  /** The widest scopes that a token of this client can have. */
  scopes: Scope[];
  creationTime: string;
  /** When its current secret was made. */
  secretTime: string;
}

/** A client with its current secret, which is shown once. */
export interface ClientWithSecret extends Client {
  clientSecret: string;
}

export interface CreateClient {
  name: string;
  scopes: Scope[];
}

export interface RotateClientSecret {
  /** How long the old secret is also accepted; 24 hours by default. */
  overlapMs?: number;
}

/** An access token, as in RFC 6749. */
export interface AccessToken {
  access_token: string;
  token_type: string;
  /** How many seconds the token is valid. */
  expires_in: number;
  scope: string;
}

/** What OAuth clients need to know about the server (RFC 8414). */
export interface AuthorizationServer {
  issuer: string;
  token_endpoint: string;
  revocation_endpoint: string;
  jwks_uri: string;
  scopes_supported: string[];
  response_types_supported: string[];
  grant_types_supported: string[];
  token_endpoint_auth_methods_supported: string[];
  revocation_endpoint_auth_methods_supported: string[];
}

/** The keys that verify access tokens (RFC 7517). */
export interface KeySet {
  keys: {
    kty: string;
    crv: string;
    x: string;
    y: string;
    kid: string;
    alg: string;
    use: string;
  }[];
}

/** A key that signs access tokens. */
export interface SigningKey {
  keyId: string;
  creationTime: string;
  /** Whether the key will sign, signs, or stays until the last token that it signed has expired. */
  state: "UPCOMING" | "SIGNING" | "PREVIOUS";
}

export interface RotateSigningKey {
  /** Removes all older keys at once. All tokens issued so far become invalid. */
  removeOld?: boolean;
}

/** How secrets are sealed in the store. */
export interface Encryption {
  /** The encryption key that the answering node seals with. */
  keyId: string;
  keys: EncryptionKeyUse[];
  /** False: there are at least so many values, and counting goes on. */
  exact: boolean;
  /** When the values were counted. */
  asOf: string;
  /** The nodes that are alive, and the key that each seals with; null: its version does not say. */
  nodes: { nodeId: string; keyId: string | null }[];
  /** The latest exchange of the key; null: there was none. */
  rotation: EncryptionRotation | null;
}

export interface EncryptionKeyUse {
  keyId: string;
  /** How many values in the store the key seals. */
  values: number;
  /** Whether servers need the key. If not, it may be taken out of their settings. */
  inUse: boolean;
}

/** An exchange of the encryption key. */
export interface EncryptionRotation {
  /** The key that is to seal everything. */
  keyId: string;
  state: "RUNNING" | "DONE";
  startTime: string;
  /** Null while it is under way. */
  endTime: string | null;
  /** How many values were sealed anew so far. */
  rewritten: number;
  /** How many values no key at hand opens. The exchange does not end before this is 0. */
  unreadable: number;
}
