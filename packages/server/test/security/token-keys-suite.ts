import { generateKeyPairSync, KeyObject, X509Certificate, createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDoor } from "./door.ts";
import { ecdsa, forgeToken, plainSignature } from "./forge-token.ts";
import { createClient, ownToken } from "./oauth-client.ts";
import type { Subject } from "./subject.ts";

const attacker = generateKeyPairSync("ec", { namedCurve: "P-256" });
const attackersJwk = attacker.publicKey.export({ format: "jwk" });
const certificates = new URL("../../src/targets/webhook/testing/", import.meta.url);

/** The server decides which key checks a token, never the token itself. */
export function tokenKeysSuite(subject: Subject): void {
  // Two doors, because the tests run concurrently and all wait for the same fetch of the keys.
  const { expectShut } = makeDoor(subject);
  const { expectOpens } = makeDoor(subject);
  let keyServer: Server;
  let keyServerUrl: string;
  let asked = 0;

  beforeAll(async () => {
    keyServer = createServer((_request, response) => {
      asked++;
      const keys = ["one", "evil"].map((kid) => ({ ...attackersJwk, kid, alg: "ES256" }));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ keys, jwks_uri: `${keyServerUrl}/keys` }));
    }).listen(0, "127.0.0.1");
    await once(keyServer, "listening");
    keyServerUrl = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    keyServer.close();
    await once(keyServer, "close");
  });

  const claims = (): object => {
    const { url: iss, audience: aud } = subject.issuer;
    const exp = Math.floor(Date.now() / 1_000) + 600;
    const scope = "scheduler.all.readwrite";
    return { iss, aud, exp, sub: "somebody", tenant: "acc_default", scope };
  };
  const forged = (header: object): string =>
    forgeToken({ alg: "ES256", kid: "one", ...header }, claims(), ecdsa(attacker.privateKey));

  describe.concurrent("a header that brings its own key", () => {
    test.each<[string, () => object]>([
      ["jku", () => ({ jku: `${keyServerUrl}/keys` })],
      ["jku and crit", () => ({ jku: `${keyServerUrl}/keys`, crit: ["jku"] })],
      ["jku, of another key id", () => ({ jku: `${keyServerUrl}/keys`, kid: "evil" })],
      ["x5u", () => ({ x5u: `${keyServerUrl}/chain.pem` })],
      ["jwk", () => ({ jwk: { ...attackersJwk, kid: "one" } })],
      ["jwk, of another key id", () => ({ kid: "evil", jwk: { ...attackersJwk, kid: "evil" } })],
      ["an address as its key id", () => ({ kid: `${keyServerUrl}/keys` })],
    ])("%s", async (_, header) => {
      await expectShut(forged(header()));
      expect(asked).toBe(0);
    });

    test("x5c with a matching signature", async () => {
      const pem = await readFile(new URL("localhost-certificate.pem", certificates));
      const key = createPrivateKey(await readFile(new URL("localhost-key.pem", certificates)));
      const x5c = [new X509Certificate(pem).raw.toString("base64")];
      const isRsa = key.asymmetricKeyType === "rsa";
      const signer = isRsa ? plainSignature(key, "sha256") : ecdsa(key);
      const header = { alg: isRsa ? "RS256" : "ES256", kid: "one", x5c };
      await expectShut(forgeToken(header, claims(), signer));
    });

    test("is ignored in a valid token too", async () => {
      const header = { alg: "ES256", kid: "one", jku: `${keyServerUrl}/keys`, jwk: attackersJwk };
      const signer = ecdsa(KeyObject.from(subject.issuer.privateKey));
      await expectOpens(forgeToken(header, claims(), signer));
      expect(asked).toBe(0);
    });
  });

  describe.concurrent("key ids", () => {
    test("unknown ones are refused, and many of them cause only a fetch or two", async () => {
      const odd = ["", "two", "ONE", "__proto__", "../one", "one'--", "one\0", "k".repeat(2_000)];
      const many = Array.from({ length: 50 }, (_, index) => `made-up-${index}`);
      const before = subject.issuer.fetches();
      const start = performance.now();
      const good = KeyObject.from(subject.issuer.privateKey);
      const tokens = [...odd, ...many].map((kid) =>
        forgeToken({ alg: "ES256", kid }, claims(), ecdsa(good)),
      );
      await Promise.all(tokens.map((token) => expectShut(token)));
      // At most one fetch a second, including those that other tests cause.
      const most = 2 + (performance.now() - start) / 1_000;
      expect(subject.issuer.fetches() - before).toBeLessThanOrEqual(most);
    });

    test("other callers do not wait for the fetch that such a token causes", async () => {
      const pending = expectShut(forged({ kid: "yet-another" }));
      await expectOpens(await subject.issuer.token());
      await pending;
    });

    test("may be missing only if the signature fits a key", async () => {
      const good = KeyObject.from(subject.issuer.privateKey);
      await expectOpens(forgeToken({ alg: "ES256" }, claims(), ecdsa(good)));
      await expectShut(forged({ kid: undefined }));
    });

    test("of one issuer do not make a token of the other valid", async () => {
      const client = await createClient(subject);
      const [header, ours] = (await ownToken(subject, client))
        .split(".")
        .map((part) => Buffer.from(part, "base64url").toString("latin1"));
      const { kid, ...rest } = JSON.parse(header!);
      const theirKey = ecdsa(KeyObject.from(subject.issuer.privateKey));
      // The token has all claims of one of our tokens, including our client and our issuer.
      await expectShut(forgeToken({ ...rest, kid }, ours, theirKey));
      await expectShut(forgeToken({ ...rest, kid: "one" }, ours, theirKey));
      await expectShut(forgeToken({ ...rest, kid }, claims(), theirKey));
    });
  });

  test("an untrusted issuer is not asked for its keys", async () => {
    const iss = keyServerUrl;
    await expectShut(
      forgeToken({ alg: "ES256", kid: "one" }, { ...claims(), iss }, ecdsa(attacker.privateKey)),
    );
    expect(asked).toBe(0);
  });
}
