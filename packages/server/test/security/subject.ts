import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { CryptoKey, JWK, JWTPayload } from "jose";
import { afterAll, beforeAll } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { sharedService } from "../support/shared-service.ts";
import type { SharedService } from "../support/shared-service.ts";

export const operatorKey = "pdo_operator_of_the_security_suite";
export const encryptionKey = "5e".repeat(32);

/** What the security suite attacks: a server process on one of the stores. */
export interface Subject {
  readonly service: SharedService;
  /** Makes a call as the operator, which must succeed. */
  manage(method: string, path: string, body?: unknown): Promise<ApiAnswer["body"]>;
  /** Makes an account, with its first key. */
  account(change?: object): Promise<{ readonly accountId: string; readonly key: string }>;
  /** A trusted issuer whose private key the tests have. */
  readonly issuer: TestIssuer;
  /** Everything in the store as bytes, as an intruder would read it. */
  dump(): Promise<Buffer>;
  /** Further secrets that must not be shown, by name. */
  secrets(): Readonly<Record<string, string>>;
}

/** What differs between the stores. */
export interface Ground {
  /** Prepares the store and returns the server's settings for it. Called once, before the first test. */
  prepare(): Promise<Readonly<Record<string, string>>>;
  dump(subject: { readonly dataDir: string }): Promise<Buffer>;
  secrets?(): Readonly<Record<string, string>>;
}

export interface TestIssuer {
  readonly url: string;
  readonly audience: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  /** How often its keys were fetched. */
  fetches(): number;
  /** A valid token, except for the given changes. Undefined removes a claim. */
  token(claims?: JWTPayload, header?: object): Promise<string>;
}

export function securitySubject(ground: Ground): Subject {
  let issuer: TestIssuer & { close(): Promise<void> };
  let env: Record<string, string> = {};
  beforeAll(async () => {
    issuer = await startIssuer();
    env = {
      ...(await ground.prepare()),
      POSTDATE_OPERATOR_KEY: operatorKey,
      POSTDATE_ENCRYPTION_KEY: encryptionKey,
      POSTDATE_LOG_LEVEL: "trace",
      // All suites share one address and ask for tokens hundreds of times.
      POSTDATE_TOKEN_REQUEST_LIMIT: "100000/1m",
      POSTDATE_TRUSTED_ISSUERS: JSON.stringify([
        { issuer: issuer.url, audience: issuer.audience, accountClaim: "tenant" },
      ]),
    };
  }, 120_000);
  afterAll(() => issuer.close());
  const service = sharedService(() => ({ env }));

  const manage: Subject["manage"] = (method, path, body) =>
    service.ok(method, path, { key: operatorKey, ...(body === undefined ? {} : { body }) });
  return {
    service,
    manage,
    async account(change = {}) {
      const made = await manage("POST", "/v1/accounts", change);
      return { accountId: made.accountId, key: made.key };
    },
    get issuer() {
      return issuer;
    },
    dump: () => ground.dump({ dataDir: service.dataDir }),
    secrets: () => ground.secrets?.() ?? {},
  };
}

async function startIssuer(): Promise<TestIssuer & { close(): Promise<void> }> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "ES256", use: "sig" };
  let fetched = 0;
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.url === "/.well-known/openid-configuration") {
      return response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }));
    }
    if (request.url === "/keys") {
      fetched++;
      return response.end(JSON.stringify({ keys: [publicJwk] }));
    }
    return response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const audience = "postdate-under-test";
  return {
    url,
    audience,
    privateKey,
    publicJwk,
    fetches: () => fetched,
    token: (claims = {}, header = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      return new SignJWT({
        iss: url,
        aud: audience,
        sub: "somebody",
        iat: now,
        exp: now + 600,
        tenant: "acc_default",
        scope: "scheduler.all.readwrite",
        ...claims,
      })
        .setProtectedHeader({ alg: "ES256", kid: "one", typ: "at+jwt", ...header })
        .sign(privateKey);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
