/** An issuer that the operator trusts to say who may act for which account. */
export interface TrustedIssuer {
  readonly issuer: string;
  readonly audience: string;
  /** Which claim names the account. */
  readonly accountClaim: string;
  /** Which claim holds the scopes: `scope` as one string (RFC 9068); any other also as a list. */
  readonly scopeClaim: string;
  /** Null: found through the issuer's metadata. */
  readonly jwksUri: string | null;
  readonly algorithms: readonly string[];
}
