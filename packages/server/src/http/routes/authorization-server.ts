import { AuthorizationServer, Errors, KeySet, named } from "@postdate/contract";
import { scopes } from "../../domain/access.ts";
import { signingKeyLeadMs } from "../../domain/signing-keys.ts";
import type { Operations } from "../../operations/operations.ts";
import type { Api } from "./route-options.ts";

export interface AuthorizationServerRouteOptions {
  readonly operations: Pick<Operations, "publishKeys">;
  readonly issuer: () => string;
  readonly limits: { readonly publicUrl: string | null };
}

const tags = ["OAuth"];
const authMethods = ["client_secret_basic", "client_secret_post"];

/** A cached key set must expire before a key that it lacks signs. */
const keySetMaxAgeSeconds = Math.floor(signingKeyLeadMs / 2_000);

/** Serves what others need to use and to check the access tokens of this server. */
export function authorizationServerRoutes(
  api: Api,
  { operations, issuer, limits: { publicUrl } }: AuthorizationServerRouteOptions,
): void {
  const describe = async () => ({
    issuer: issuer(),
    token_endpoint: `${issuer()}/oauth/token`,
    revocation_endpoint: `${issuer()}/oauth/revoke`,
    jwks_uri: `${issuer()}/.well-known/jwks.json`,
    scopes_supported: [...scopes],
    response_types_supported: [],
    grant_types_supported: ["client_credentials"],
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
  });
  const metadata = "/.well-known/oauth-authorization-server";
  const response = { 200: named(AuthorizationServer) };
  api.get(
    metadata,
    {
      config: { access: "anyone" },
      schema: {
        operationId: "authorizationServer",
        tags,
        summary: "Where and how to get access tokens",
        description: "Authorization server metadata (RFC 8414).",
        response,
      },
    },
    describe,
  );
  // For an issuer with a path, RFC 8414 puts the path behind the well-known path.
  const path = publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
  if (path !== "") {
    const config = { access: "anyone" } as const;
    api.get(metadata + path, { config, schema: { hide: true, response } }, describe);
  }

  api.get(
    "/.well-known/jwks.json",
    {
      config: { access: "anyone" },
      schema: {
        operationId: "keySet",
        tags,
        summary: "The keys that verify access tokens",
        description:
          "A JWK set (RFC 7517). It contains a new key for some minutes before that key signs.",
        response: {
          200: named(KeySet),
          503: { ...named(Errors), description: "The store is unavailable (`Retry-After`)." },
        },
      },
    },
    async (_request, reply) => {
      const keySet = await operations.publishKeys();
      void reply.header("cache-control", `public, max-age=${keySetMaxAgeSeconds}`);
      return keySet;
    },
  );
}
