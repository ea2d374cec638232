import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import type { JWK } from "jose";
import { Provider } from "oidc-provider";
import type { Adapter, Configuration } from "oidc-provider";
import type { OAuthClient } from "./oauth.ts";

export interface ExternalIssuer extends AsyncDisposable {
  readonly url: string;
  readonly tokenEndpoint: string;
  /** From now on it signs with a new key. The old ones stay published. */
  rotateKey(): Promise<void>;
  /** Holds every request for its keys until the test calls the returned function. */
  holdKeys(): () => void;
}

export interface ExternalIssuerOptions {
  /** By client id, the account that the client's tokens name. */
  readonly accounts: Readonly<Record<string, unknown>>;
  readonly scopes: readonly string[];
}

export const clientOf = (clientId: string): OAuthClient => ({
  clientId,
  clientSecret: `secret of ${clientId}`,
});

/**
 * A real OpenID provider on loopback. Its access tokens are JWTs for the resource that the client asks for.
 */
export async function startExternalIssuer({
  accounts,
  scopes,
}: ExternalIssuerOptions): Promise<ExternalIssuer> {
  let keysHeld = Promise.resolve();
  const server = createServer((request, response) => {
    const answer = (): void => void callback(request, response);
    if (request.url === "/jwks") void keysHeld.then(answer);
    else answer();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let keys: readonly JWK[] = [await makeKey("first")];
  const open = (): ReturnType<Provider["callback"]> =>
    new Provider(url, configuration(keys, accounts, scopes)).callback();
  let callback = open();
  return {
    url,
    tokenEndpoint: `${url}/token`,
    async rotateKey() {
      // The provider signs with the first key that fits.
      keys = [await makeKey(`key-${keys.length + 1}`), ...keys];
      callback = open();
    },
    holdKeys() {
      const { promise, resolve } = Promise.withResolvers<void>();
      keysHeld = promise;
      return resolve;
    },
    async [Symbol.asyncDispose]() {
      server.close().closeAllConnections();
      await once(server, "close");
    },
  };
}

async function makeKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: "ES256", use: "sig" };
}

/** Stores nothing, because its tokens contain everything. */
function keepNothing(): Adapter {
  return {
    upsert: async () => undefined,
    find: async () => undefined,
    findByUserCode: async () => undefined,
    findByUid: async () => undefined,
    consume: async () => undefined,
    destroy: async () => undefined,
    revokeByGrantId: async () => undefined,
  };
}

function configuration(
  keys: readonly JWK[],
  accounts: ExternalIssuerOptions["accounts"],
  scopes: readonly string[],
): Configuration {
  const scope = scopes.join(" ");
  return {
    adapter: keepNothing,
    jwks: { keys: [...keys] },
    cookies: { keys: ["not used: nobody signs in here"] },
    ttl: { ClientCredentials: 600 },
    scopes: [...scopes],
    clients: Object.keys(accounts).map((clientId) => ({
      client_id: clientId,
      client_secret: clientOf(clientId).clientSecret,
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: "ES256",
    })),
    extraTokenClaims: (_context, { clientId }) =>
      clientId === undefined ? undefined : { postdate_account: accounts[clientId] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope,
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  };
}
