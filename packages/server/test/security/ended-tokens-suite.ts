import { describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { basic, createClient, ownToken, sendForm } from "./oauth-client.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { Subject } from "./subject.ts";

interface Holder {
  readonly accountId: string;
  readonly key: string;
  readonly client: OAuthClient;
  readonly token: string;
}

/**
 * Tokens that were valid a moment ago. Once the call that ended a token is answered, the token is refused.
 */
export function endedTokensSuite(subject: Subject): void {
  const { service, manage } = subject;

  const hold = async (): Promise<Holder> => {
    const { accountId, key } = await subject.account();
    const client = await createClient(subject, { key });
    const token = await ownToken(subject, client);
    // The token is used, so caches remember it.
    await service.ok("GET", "/v1/account", { key: token });
    return { accountId, key, client, token };
  };
  const expectOpens = async (key: string): Promise<void> => {
    await service.ok("GET", "/v1/account", { key });
  };
  const expectEnded = async (key: string): Promise<void> => {
    const answer = await service.api("GET", "/v1/account", { key });
    expectRefusal(answer, 401, { code: "E-DI-2001" });
    expect(answer.headers.get("www-authenticate")).toMatch(/error="invalid_token"/);
  };

  describe.concurrent("ends at once", () => {
    test("with its client", async () => {
      const { key, client, token } = await hold();
      const other = await ownToken(subject, await createClient(subject, { key }));
      await service.ok("DELETE", `/v1/clients/${client.clientId}`, { key });
      await expectEnded(token);
      await expectOpens(other);
    });

    test("by being revoked, and the client's other tokens stay valid", async () => {
      const { client, token } = await hold();
      const other = await ownToken(subject, client);
      const answer = await revoke(subject, client, token);
      expect(answer.status).toBe(200);
      await expectEnded(token);
      await expectOpens(other);
    });

    test("with its account's suspension, until that ends", async () => {
      const { accountId, key, client, token } = await hold();
      const trusted = await subject.issuer.token({ tenant: accountId });
      await expectOpens(trusted);
      await manage("POST", `/v1/accounts/${accountId}/suspend`);
      for (const credential of [key, token, trusted]) {
        const answer = await service.api("GET", "/v1/account", { key: credential });
        expectRefusal(answer, 403, { code: "E-DI-4003" });
      }
      const grant = { grant_type: "client_credentials" };
      const headers = basic(client.clientId, client.clientSecret);
      expect((await sendForm(subject, "/oauth/token", grant, headers)).status).toBe(401);
      await manage("POST", `/v1/accounts/${accountId}/resume`);
      for (const credential of [key, token, trusted]) await expectOpens(credential);
    });

    test("with its account", async () => {
      const { accountId, key, token } = await hold();
      const trusted = await subject.issuer.token({ tenant: accountId });
      await expectOpens(trusted);
      await manage("POST", `/v1/accounts/${accountId}/suspend`);
      await manage("DELETE", `/v1/accounts/${accountId}`);
      for (const credential of [key, token, trusted]) await expectEnded(credential);
    });

    test("a key with its revocation", async () => {
      const { key } = await hold();
      const body = { name: "second", scopes: ["scheduler.all.read"] };
      const made = await service.ok("POST", "/v1/keys", { key, body });
      await expectOpens(made.key);
      await service.ok("DELETE", `/v1/keys/${made.keyId}`, { key });
      await expectEnded(made.key);
      await expectOpens(key);
    });
  });

  describe("no client ends another's token", () => {
    test("with a client of the same account", async () => {
      const { key, token } = await hold();
      const answer = await revoke(subject, await createClient(subject, { key }), token);
      expect(answer.status).toBe(200);
      await expectOpens(token);
    });

    test("with a client of another account", async () => {
      const { key, token } = await hold();
      expect((await revoke(subject, await createClient(subject), token)).status).toBe(200);
      // After this call, the node no longer relies on what it remembered of the account.
      const unknown = "/v1/keys/key_00000000000000000000";
      expect((await service.api("DELETE", unknown, { key })).status).toBe(404);
      await expectOpens(token);
    });
  });

  test("an old secret gets no token after its overlap", async () => {
    const { key, client } = await hold();
    const path = `/v1/clients/${client.clientId}/rotate-secret`;
    const rotated = await service.ok("POST", path, { key, body: { overlapMs: 0 } });
    await expect(ownToken(subject, client)).rejects.toThrow(/invalid_client/);
    await expectOpens(await ownToken(subject, rotated));
  });

  test("a rotation leaves tokens valid, and one that removes the old keys ends them all", async () => {
    const { client, token } = await hold();
    await manage("POST", "/v1/signing-keys/rotate", {});
    await expectOpens(token);
    const { items } = await manage("POST", "/v1/signing-keys/rotate", { removeOld: true });
    expect(items).toHaveLength(1);
    await expectEnded(token);
    await expectOpens(await ownToken(subject, client));
  });
}

function revoke(subject: Subject, { clientId, clientSecret }: OAuthClient, token: string) {
  return sendForm(subject, "/oauth/revoke", { token }, basic(clientId, clientSecret));
}
