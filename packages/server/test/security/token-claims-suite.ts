import { KeyObject } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { makeDoor } from "./door.ts";
import { ecdsa, forgeToken } from "./forge-token.ts";
import type { Subject, TestIssuer } from "./subject.ts";

const everything = "scheduler.all.readwrite";
type Row = readonly [what: string, claims: Readonly<Record<string, unknown>>];

/** A time in seconds, as tokens contain it. */
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

const times: readonly Row[] = [
  ["expired a minute ago", { exp: inSeconds(-60) }],
  ["expired in 1970", { exp: 0 }],
  ["expired before 1970", { exp: -1 }],
  ["without exp", { exp: undefined }],
  ["exp null", { exp: null }],
  ["exp as a text", { exp: String(inSeconds(600)) }],
  ["exp as a list", { exp: [inSeconds(600)] }],
  ["exp too far in the future", { exp: 1e300 }],
  ["valid in an hour", { nbf: inSeconds(3_600) }],
  ["nbf as a text", { nbf: String(inSeconds(-60)) }],
  ["iat as a text", { iat: "now" }],
];

const audiences: readonly Row[] = [
  ["for somebody else", { aud: "somebody-else" }],
  ["for nobody", { aud: undefined }],
  ["for an empty name", { aud: "" }],
  ["for an empty list", { aud: [] }],
  ["for a list of others", { aud: ["somebody-else", "postdate"] }],
  ["for a longer name", { aud: "postdate-under-test-2" }],
  ["for a shorter name", { aud: "postdate" }],
  ["for the same name in upper case", { aud: "POSTDATE-UNDER-TEST" }],
  ["for a number", { aud: 1 }],
  ["for an object", { aud: { "postdate-under-test": true } }],
  ["for a list in a list", { aud: [["postdate-under-test"]] }],
];

const accounts: readonly Row[] = [
  ["no account", { tenant: undefined }],
  ["null", { tenant: null }],
  ["an empty text", { tenant: "" }],
  ["a number", { tenant: 1 }],
  ["true", { tenant: true }],
  ["a list", { tenant: ["acc_default"] }],
  ["an object", { tenant: { accountId: "acc_default" } }],
  ["unknown", { tenant: "acc_nobody" }],
  ["__proto__", { tenant: "__proto__" }],
  ["constructor", { tenant: "constructor" }],
  ["upper case", { tenant: "ACC_DEFAULT" }],
  ["a blank at its end", { tenant: "acc_default " }],
  ["NUL at its end", { tenant: "acc_default\0" }],
  ["a wildcard", { tenant: "acc_%" }],
  ["a quote", { tenant: "x' OR 'x'='x" }],
  ["two names", { tenant: "acc_default,acc_default" }],
  ["the operator", { tenant: "operator:" }],
  ["5,000 characters of it", { tenant: "a".repeat(5_000) }],
  ["under the name of our own claim", { tenant: undefined, account: "acc_default" }],
  ["no subject", { sub: undefined }],
  ["a subject that is a number", { sub: 7 }],
  ["a subject with a line break", { sub: "some\nbody" }],
  ["a token id that is a number", { jti: 7 }],
];

const issuers: readonly (readonly [what: string, iss: (issuer: TestIssuer) => unknown])[] = [
  ["another's name", () => "https://login.example.com"],
  ["a slash more", ({ url }) => `${url}/`],
  ["a path more", ({ url }) => `${url}/keys`],
  ["another host of the same address", ({ url }) => url.replace("127.0.0.1", "localhost")],
  ["upper case", ({ url }) => url.toUpperCase()],
  ["a blank before it", ({ url }) => ` ${url}`],
  ["a list", ({ url }) => [url]],
  ["none", () => undefined],
  ["null", () => null],
];

const scopes: readonly Row[] = [
  ["none", { scope: undefined }],
  ["null", { scope: null }],
  ["empty", { scope: "" }],
  ["a blank", { scope: " " }],
  ["a list", { scope: [everything] }],
  ["a list in scp", { scope: undefined, scp: [everything] }],
  ["an object", { scope: { [everything]: true } }],
  ["a number", { scope: 4 }],
  ["true", { scope: true }],
  ["between tabs", { scope: `openid\t${everything}\tprofile` }],
  ["between line breaks", { scope: `openid\n${everything}` }],
  ["between commas", { scope: `openid,${everything}` }],
  ["between no-break spaces", { scope: `openid\u00a0${everything}` }],
  ["longer by a letter", { scope: `${everything}X` }],
  ["longer before it", { scope: `x${everything}` }],
  ["shorter", { scope: "scheduler.all" }],
  ["a prefix", { scope: "scheduler.all.read scheduler" }],
  ["a wildcard", { scope: "scheduler.* * scheduler.all.*" }],
  ["upper case", { scope: everything.toUpperCase() }],
  ["a Cyrillic letter", { scope: "schedul\u0435r.all.readwrite" }],
  ["a full-width dot", { scope: "scheduler\uff0eall.readwrite" }],
  ["a combining mark", { scope: `${everything}\u0301` }],
  ["a zero-width space", { scope: `${everything}\u200b` }],
  ["NUL at its end", { scope: `${everything}\0` }],
  ["a long s", { scope: "\u017fcheduler.all.readwrite" }],
  ["quoted", { scope: `"${everything}"` }],
  ["percent-encoded", { scope: "scheduler%2Eall%2Ereadwrite" }],
  ["in another claim", { scope: undefined, scopes: everything, permissions: [everything] }],
];

/** Correctly signed tokens of the trusted issuer with wrong claims. */
export function tokenClaimsSuite(subject: Subject): void {
  const { expectForbidden, expectOpens, expectShut, expectUntouched, push } = makeDoor(subject);
  const tokenWith = (claims: Row[1]): Promise<string> => subject.issuer.token(claims);
  const expectRefused = async (_: string, claims: Row[1]): Promise<void> =>
    expectShut(await tokenWith(claims));

  test("a token without the changes below is accepted", async () => {
    await expectOpens(await tokenWith({}));
  });

  describe("the time", () => {
    test.each(times)("%s", (...row) => expectRefused(...row));
  });

  describe("the audience", () => {
    test.each(audiences)("%s", (...row) => expectRefused(...row));

    test("a list that contains our audience is accepted", async () => {
      const aud = ["somebody-else", subject.issuer.audience];
      await expectOpens(await tokenWith({ aud }));
    });
  });

  describe("the issuer", () => {
    test.concurrent.each(issuers)("%s", async (_, iss) => {
      await expectShut(await tokenWith({ iss: iss(subject.issuer) }));
    });
  });

  describe("the account", () => {
    test.each(accounts)("%s", (...row) => expectRefused(...row));

    // The issuer decides who acts for which account. That is what trusting it means.
    test("a token for another account opens that account only", async () => {
      const other = await subject.account();
      const key = await tokenWith({ tenant: other.accountId });
      const account = await subject.service.ok("GET", "/v1/account", { key });
      expect(account.accountId).toBe(other.accountId);
      const answer = await push(key);
      expect(answer.status).toBe(404);
      expect(answer.body.errors[0].code).toBe("E-DI-3004");
      await expectUntouched();
    });
  });

  describe("the scope", () => {
    test.each(scopes)("%s", async (_, claims) => {
      await expectForbidden(await tokenWith(claims));
    });

    test.each([`openid  ${everything}`, ` ${everything} `, `${everything} ${everything}`])(
      "%j names the scope, with any number of spaces",
      async (scope) => expectOpens(await tokenWith({ scope })),
    );
  });

  describe("a repeated claim counts with its last value, everywhere", () => {
    let base: string;
    beforeAll(async () => {
      const [, claims] = (await tokenWith({})).split(".");
      base = Buffer.from(claims!, "base64url").toString().slice(0, -1);
    });
    const twice = (claim: string, value: unknown): string => {
      const claims = `${base},${JSON.stringify(claim)}:${JSON.stringify(value)}}`;
      const signer = ecdsa(KeyObject.from(subject.issuer.privateKey));
      return forgeToken({ alg: "ES256", kid: "one" }, claims, signer);
    };

    test.each<[string, unknown]>([
      ["iss", "https://login.example.com"],
      ["aud", "somebody-else"],
      ["exp", 1],
      ["tenant", "acc_nobody"],
    ])("%s", async (claim, value) => {
      await expectShut(twice(claim, value));
    });

    test("scope", () => expectForbidden(twice("scope", "scheduler.messages.read")));
  });
}
