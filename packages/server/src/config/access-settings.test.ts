import { describe, expect, test } from "vitest";
import { readSettings } from "./read-settings.ts";

const reading = (env: Readonly<Record<string, string>>) =>
  readSettings({ flags: {}, env, readFile: () => "" });

function settings(env: Readonly<Record<string, string>>) {
  const result = reading(env);
  if (result.kind === "mistakes") throw new Error(result.mistakes.join("\n"));
  return result.settings;
}

function mistake(env: Readonly<Record<string, string>>): string {
  const result = reading(env);
  return result.kind === "mistakes" ? result.mistakes.join("\n") : "";
}

describe("rate limits", () => {
  test.each([
    ["100/1s", { max: 100, intervalMs: 1_000 }],
    [" 5 / 1m30s ", { max: 5, intervalMs: 90_000 }],
  ])("%s", (text, limit) => {
    expect(settings({ POSTDATE_REQUEST_LIMIT: text }).requestLimit).toEqual(limit);
  });

  test.each(["100", "0/1s", "-1/1s", "1/0s", "1/25h", "1.5/1s", "x/1s", "100/1", "1/1s/1s"])(
    "%j is none",
    (text) => expect(mistake({ POSTDATE_REQUEST_LIMIT: text })).toMatch("POSTDATE_REQUEST_LIMIT"),
  );
});

describe("the public URL", () => {
  test("has no slash at the end", () => {
    const env = { POSTDATE_PUBLIC_URL: "https://postdate.example.com/api/" };
    expect(settings(env).publicUrl).toBe("https://postdate.example.com/api");
  });

  test.each([
    "postdate.example.com",
    "ftp://example.com",
    "https://example.com/?a=1",
    "https://example.com/#a",
    "https://me@example.com",
  ])("%j is none", (text) => {
    expect(mistake({ POSTDATE_PUBLIC_URL: text })).toMatch("POSTDATE_PUBLIC_URL");
  });
});

test("the operator's key has its own form, and the error does not repeat a mistyped one", () => {
  const key = "pdo_0123456789abcdef";
  expect(settings({ POSTDATE_OPERATOR_KEY: key }).operatorKey).toBe(key);
  for (const wrong of ["pd_0123456789abcdef", "pdo_short", `${key}\u00fc`]) {
    const said = mistake({ POSTDATE_OPERATOR_KEY: wrong });
    expect(said).toMatch("POSTDATE_OPERATOR_KEY must be pdo_");
    expect(said).not.toContain(wrong);
  }
});

describe("trusted issuers", () => {
  const read = (list: unknown) => settings({ POSTDATE_TRUSTED_ISSUERS: JSON.stringify(list) });
  const refused = (list: unknown) => mistake({ POSTDATE_TRUSTED_ISSUERS: JSON.stringify(list) });
  const least = { issuer: "https://login.example.com/", audience: "postdate" };

  test("missing fields have their defaults", () => {
    expect(read([least]).trustedIssuers).toEqual([
      {
        ...least,
        accountClaim: "postdate_account",
        scopeClaim: "scope",
        jwksUri: null,
        algorithms: ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"],
      },
    ]);
  });

  test("every field can be set", () => {
    const full = {
      issuer: "http://127.0.0.1:4000",
      audience: "a",
      accountClaim: "org",
      scopeClaim: "scp",
      jwksUri: "https://login.example.com/keys",
      algorithms: ["ES384"],
    };
    expect(read([full, least]).trustedIssuers[0]).toEqual(full);
  });

  test.each<[string, unknown]>([
    ["no list", {}],
    ["no object", ["https://login.example.com"]],
    ["an unknown field", [{ ...least, audiense: "x" }]],
    ["no audience", [{ issuer: least.issuer }]],
    ["an empty audience", [{ ...least, audience: "" }]],
    ["no address", [{ ...least, issuer: "login" }]],
    ["keys in the clear", [{ ...least, issuer: "http://login.example.com" }]],
    ["keys in the clear", [{ ...least, jwksUri: "http://localhost.example.com/keys" }]],
    ["a shared secret", [{ ...least, algorithms: ["HS256"] }]],
    ["no signature", [{ ...least, algorithms: ["none"] }]],
    ["no algorithm", [{ ...least, algorithms: [] }]],
    ["the same twice", [least, least]],
  ])("%s is refused", (_what, list) => {
    expect(refused(list)).toMatch("POSTDATE_TRUSTED_ISSUERS");
  });

  test("text that is not JSON is refused with an example", () => {
    const said = mistake({ POSTDATE_TRUSTED_ISSUERS: "https://login.example.com" });
    expect(said).toMatch("must be JSON such as");
  });
});
