/** The errors of a token endpoint, by RFC 6749 and RFC 7009. */
export type OAuthError =
  | "invalid_request"
  | "invalid_client"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_token_type"
  | "invalid_scope"
  | "temporarily_unavailable";

/** A request to an OAuth endpoint was refused. Nothing happened. */
export class OAuthRefused extends Error {
  readonly error: OAuthError;

  constructor(error: OAuthError, description: string) {
    super(description);
    this.name = "OAuthRefused";
    this.error = error;
  }
}
