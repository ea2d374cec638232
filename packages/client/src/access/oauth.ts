import type { CallOptions } from "../call-options.ts";
import type { ApiRequest } from "../transport/api-request.ts";
import { get } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type { AccessToken, AuthorizationServer, KeySet, Scope } from "../types/access.ts";

export interface ClientSecret {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The OAuth endpoints. A client with `clientId` and `clientSecret` uses them by itself. */
export class OAuth {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Gets an access token, with all scopes of the client unless you name some.
   *
   * @example
   * ```ts
   * const { access_token, expires_in } = await postdate.oauth.token({
   *   clientId: "cli_4t9w2m7q1x8c5v3b6n0z",
   *   clientSecret: "pds_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hbi1leGFtcGxl",
   *   scopes: ["scheduler.messages.read"],
   * });
   * console.log(access_token.length, expires_in);
   * ```
   */
  async token(
    request: ClientSecret & { readonly scopes?: readonly Scope[] },
    options?: CallOptions,
  ): Promise<AccessToken> {
    return this.#transport.request(tokenRequest(request), options);
  }

  /**
   * Revokes an access token of the client. The answer is the same if the token is invalid.
   *
   * @example
   * ```ts
   * await postdate.oauth.revoke({
   *   clientId: "cli_4t9w2m7q1x8c5v3b6n0z",
   *   clientSecret: "pds_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hbi1leGFtcGxl",
   *   token: "eyJhbGciOiJFUzI1NiJ9…",
   * });
   * ```
   */
  async revoke(
    request: ClientSecret & { readonly token: string },
    options?: CallOptions,
  ): Promise<void> {
    await this.#transport.request(
      formRequest("/oauth/revoke", request, { token: request.token }),
      options,
    );
  }

  /**
   * What OAuth clients need to know about the server (RFC 8414).
   *
   * @example
   * ```ts
   * const { token_endpoint } = await postdate.oauth.metadata();
   * console.log(token_endpoint);
   * ```
   */
  async metadata(options?: CallOptions): Promise<AuthorizationServer> {
    return this.#transport.request(get("/.well-known/oauth-authorization-server"), options);
  }

  /**
   * The keys that verify access tokens (RFC 7517).
   *
   * @example
   * ```ts
   * const { keys } = await postdate.oauth.keySet();
   * console.log(keys.map(({ kid }) => kid));
   * ```
   */
  async keySet(options?: CallOptions): Promise<KeySet> {
    return this.#transport.request(get("/.well-known/jwks.json"), options);
  }
}

export function tokenRequest(
  client: ClientSecret & { readonly scopes?: readonly Scope[] },
): ApiRequest {
  const form = { grant_type: "client_credentials", scope: client.scopes?.join(" ") };
  return formRequest("/oauth/token", client, form);
}

function formRequest(
  path: string,
  { clientId, clientSecret }: ClientSecret,
  form: NonNullable<ApiRequest["form"]>,
): ApiRequest {
  return {
    method: "POST",
    path,
    form: { ...form, client_id: clientId, client_secret: clientSecret },
  };
}
