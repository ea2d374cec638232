/** An issuer that the operator trusts to say who may act for which account. */
export interface TrustedIssuer {
  readonly issuer: string;
  readonly audience: string;
  /** The claim that names the account. */
  readonly accountClaim: string;
  /**
   * The claim that holds the scopes. `scope` is one string (RFC 9068); any other claim may also be a
   * list.
   */
  readonly scopeClaim: string;
  /** Null: the issuer's metadata says it. */
  readonly jwksUri: string | null;
  readonly algorithms: readonly string[];
}
