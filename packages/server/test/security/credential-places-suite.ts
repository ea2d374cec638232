import { beforeAll, describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { rawRequest } from "../support/raw-request.ts";
import { rootKey } from "../support/server-process.ts";
import { comparable } from "./comparable.ts";
import { documentedRoutes } from "./documented-routes.ts";
import { makeDoor } from "./door.ts";
import { basic, createClient, ownToken, sendForm } from "./oauth-client.ts";
import type { OAuthClient } from "./oauth-client.ts";
import { operatorKey } from "./subject.ts";
import type { Subject } from "./subject.ts";

const grant = { grant_type: "client_credentials" };

/** A credential counts only in `Authorization: Bearer`. */
export function credentialPlacesSuite(subject: Subject): void {
  const { service } = subject;
  const door = makeDoor(subject);
  const { expectShut, expectUntouched } = door;
  let client: OAuthClient;
  let another: OAuthClient;
  const good = {} as Record<"key" | "token" | "trusted token", string>;
  beforeAll(async () => {
    client = await createClient(subject);
    another = await createClient(subject);
    good.key = rootKey;
    good.token = await ownToken(subject, client);
    good["trusted token"] = await subject.issuer.token();
  });

  describe.each(["key", "token", "trusted token"] as const)("a good %s", (kind) => {
    const expectMissing = async (path: string, call: object): Promise<void> => {
      const answer = await service.api("POST", path, { key: null, ...call });
      await expectUntouched();
      expectRefusal(answer, 401, { code: "E-DI-2001" });
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="postdate"');
    };

    test.each(["access_token", "token", "key", "authorization"])("in ?%s=", async (name) => {
      await expectMissing(
        `${door.path}?${new URLSearchParams({ [name]: good[kind] }).toString()}`,
        {},
      );
    });

    test("in the body", async () => {
      await expectMissing(door.path, { body: { access_token: good[kind] } });
      await expectMissing(door.path, {
        body: new URLSearchParams({ access_token: good[kind] }).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
    });

    test.each(["cookie", "x-authorization", "proxy-authorization", "x-api-key", "x-access-token"])(
      "in the header %s",
      async (name) => {
        for (const value of [good[kind], `Bearer ${good[kind]}`, `access_token=${good[kind]}`]) {
          await expectMissing(door.path, { headers: { [name]: value } });
        }
      },
    );

    test.each(["Basic", "Token", "Digest", "DPoP", "ApiKey"])("as %s", async (scheme) => {
      await expectMissing(door.path, { headers: { authorization: `${scheme} ${good[kind]}` } });
    });

    test.each<[string, (credential: string) => string[]]>([
      ["behind a bad one", (credential) => ["Bearer pd_unknown", `Bearer ${credential}`]],
      ["before a bad one", (credential) => [`Bearer ${credential}`, "Bearer pd_unknown"]],
      ["twice", (credential) => [`Bearer ${credential}`, `Bearer ${credential}`]],
    ])("in two Authorization headers, %s", async (_, headers) => {
      const lines = headers(good[kind]).map((value) => `authorization: ${value}\r\n`);
      const answer = await rawRequest(
        service.server.url,
        `POST ${door.path} HTTP/1.1\r\nhost: x\r\n${lines.join("")}connection: close\r\n\r\n`,
      );
      await expectUntouched();
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      expect(answer).toContain('"code":"E-DI-2001"');
    });
  });

  test("the scheme's case does not matter", async () => {
    for (const scheme of ["bearer", "BEARER"]) {
      const headers = { authorization: `${scheme} ${good.token}` };
      const answer = await service.api("GET", "/v1/targets", { key: null, headers });
      expect(answer.status).toBe(200);
    }
  });

  describe("Authorization", () => {
    test.each([
      "",
      "Bearer",
      "Bearer ",
      rootKey,
      `Bearer ${rootKey}x`,
      `Bearer ${rootKey.slice(0, -1)}`,
      `Bearer ${rootKey.toUpperCase()}`,
      `Bearer ${rootKey} ${rootKey}`,
      `Bearer ${rootKey}, Bearer ${rootKey}`,
      `Bearer "${rootKey}"`,
      `Bearer ${operatorKey}x`,
      "Bearer ünbekannt",
    ])("%j is 401", async (authorization) => {
      const answer = await service.api("POST", door.path, {
        key: null,
        headers: { authorization },
      });
      await expectUntouched();
      expectRefusal(answer, 401, { code: "E-DI-2001" });
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect(answer.text).not.toContain(rootKey);
    });

    test("a key of 5,000 characters is 401", () => expectShut(`pd_${"a".repeat(5_000)}`));
  });

  test.each(documentedRoutes.filter(({ of }) => of !== "anybody"))(
    "$method $path with an unknown key",
    async ({ method, path }) => {
      const answer = await service.api(method, path.replaceAll(/[{}]/g, ""), { key: "pd_unknown" });
      expectRefusal(answer, 401, { code: "E-DI-2001" });
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer .*error="invalid_token"/);
    },
  );

  test("is checked first, and nothing is told without one", async () => {
    const answer = await service.api("POST", "/v1/messages", { key: null, body: "{" });
    expectRefusal(answer, 401, { code: "E-DI-2001" });
  });

  test("a client's secret or id is no bearer credential", async () => {
    await expectShut(client.clientSecret);
    await expectShut(client.clientId);
    await expectShut(`${client.clientId}:${client.clientSecret}`);
  });

  describe("at the token endpoint", () => {
    const inBody = (clientId: string, clientSecret: string) => ({
      ...grant,
      client_id: clientId,
      client_secret: clientSecret,
    });

    test.each<[string, () => Readonly<Record<string, string>>]>([
      ["an API key as bearer", () => ({ authorization: `Bearer ${rootKey}` })],
      ["the operator's key as bearer", () => ({ authorization: `Bearer ${operatorKey}` })],
      ["a token as bearer", () => ({ authorization: `Bearer ${good.token}` })],
      ["an API key as user", () => basic(rootKey, "")],
      ["an API key as secret", () => basic(client.clientId, rootKey)],
      ["a wrong secret", () => basic(client.clientId, `${client.clientSecret}x`)],
      ["a shorter secret", () => basic(client.clientId, client.clientSecret.slice(0, -1))],
      ["an empty secret", () => basic(client.clientId, "")],
      ["another client's secret", () => basic(client.clientId, another.clientSecret)],
      ["the id as secret", () => basic(client.clientId, client.clientId)],
      ["an unknown client", () => basic("cli_00000000000000000000", client.clientSecret)],
      ["a client in upper case", () => basic(client.clientId.toUpperCase(), client.clientSecret)],
      ["a client with a wildcard", () => basic("cli_%", client.clientSecret)],
      ["no client", () => basic("", "")],
      ["Basic that is no base64", () => ({ authorization: "Basic !" })],
      ["Basic without a colon", () => ({ authorization: `Basic ${btoa(client.clientId)}` })],
      ["nothing", () => ({})],
    ])("%s opens nothing", async (_, headers) => {
      const answer = await sendForm(subject, "/oauth/token", grant, headers());
      expect(answer.status, answer.text).toBe(401);
      expect(Object.keys(answer.body)).toEqual(["error", "error_description"]);
      expect(answer.body.error).toBe("invalid_client");
      expect(answer.headers.get("www-authenticate")).toBe('Basic realm="postdate"');
      expect(answer.headers.get("cache-control")).toBe("no-store");
    });

    test("credentials in the query are refused, even beside good ones in the right place", async () => {
      const path = `/oauth/token?${new URLSearchParams(inBody(client.clientId, client.clientSecret)).toString()}`;
      const { clientId, clientSecret } = client;
      for (const headers of [{}, basic(clientId, clientSecret)]) {
        const answer = await sendForm(subject, path, grant, headers);
        expect(answer.status).toBe(400);
        expect(answer.body.error).toBe("invalid_request");
        expect(answer.text).not.toContain(clientSecret);
      }
    });

    test("credentials in two places, or twice, are refused", async () => {
      const { clientId, clientSecret } = client;
      const both = await sendForm(
        subject,
        "/oauth/token",
        inBody(clientId, clientSecret),
        basic(clientId, clientSecret),
      );
      const form = new URLSearchParams(inBody(clientId, clientSecret)).toString();
      const twice = await service.api("POST", "/oauth/token", {
        key: null,
        body: `${form}&client_id=${another.clientId}`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      for (const answer of [both, twice]) {
        expect(answer.status).toBe(400);
        expect(answer.body.error).toBe("invalid_request");
      }
    });

    test.each(["/oauth/token", "/oauth/revoke"])(
      "%s does not tell an unknown client from a wrong secret",
      async (path) => {
        const fields = path.endsWith("token") ? grant : { token: good.token };
        const suspended = await suspendedClient(subject);
        const answers = [];
        for (const [clientId, clientSecret] of [
          [client.clientId, another.clientSecret],
          ["cli_00000000000000000000", client.clientSecret],
          ["somebody", client.clientSecret],
          [suspended.clientId, suspended.clientSecret],
          [suspended.clientId, client.clientSecret],
        ] as const) {
          const inHeader = basic(clientId, clientSecret);
          answers.push(comparable(await sendForm(subject, path, fields, inHeader)));
          const body = { ...fields, client_id: clientId, client_secret: clientSecret };
          answers.push(comparable(await sendForm(subject, path, body)));
        }
        expect(answers[0]).toMatchObject({ status: 401 });
        for (const answer of answers) expect(answer).toEqual(answers[0]);
      },
    );

    test("more scope than the client has is refused", async () => {
      const narrow = await createClient(subject, { scopes: ["scheduler.messages.read"] });
      const headers = basic(narrow.clientId, narrow.clientSecret);
      for (const scope of [
        "scheduler.all.readwrite",
        "scheduler.messages.read scheduler.all.read",
        "scheduler.messages.read  scheduler.messages.read",
        "scheduler.messages.read\tscheduler.all.read",
        "scheduler.*",
        "openid",
      ]) {
        const answer = await sendForm(subject, "/oauth/token", { ...grant, scope }, headers);
        expect(answer.status, scope).toBe(400);
        expect(answer.body.error).toBe("invalid_scope");
      }
    });
  });
}

async function suspendedClient(subject: Subject): Promise<OAuthClient> {
  const { accountId, key } = await subject.account();
  const client = await createClient(subject, { key });
  await subject.manage("POST", `/v1/accounts/${accountId}/suspend`);
  return client;
}
