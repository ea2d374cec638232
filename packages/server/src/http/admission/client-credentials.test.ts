import { expect, test } from "vitest";
import type { OAuthRefused } from "../../domain/oauth.ts";
import { clientCredentials } from "./client-credentials.ts";

const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
const refusal = (...given: Parameters<typeof clientCredentials>): unknown => {
  try {
    return clientCredentials(...given);
  } catch (error) {
    return (error as OAuthRefused).error;
  }
};

test("credentials are read from the header or from the body", () => {
  const expected = { clientId: "me", clientSecret: "s3" };
  expect(clientCredentials(basic("me:s3"), {})).toEqual(expected);
  expect(clientCredentials(basic("me:s3"), { client_id: "me" })).toEqual(expected);
  expect(clientCredentials(basic("me:s3").replace("Basic", "bASIC"), {})).toEqual(expected);
  expect(clientCredentials(undefined, { client_id: "me", client_secret: "s3" })).toEqual(expected);
});

test("credentials in the header are form-decoded", () => {
  expect(clientCredentials(basic("a%3Ab+c:x%25%C3%BC:y"), {})).toEqual({
    clientId: "a:b c",
    clientSecret: "x%ü:y",
  });
});

test.each([
  [undefined, {}],
  [undefined, { client_id: "me" }],
  [undefined, { client_secret: "s3" }],
  ["Basic", {}],
  ["Basic !!!", {}],
  [basic("no colon"), {}],
  [basic("me:%zz"), {}],
  ["Bearer abc", {}],
  ["Bearer abc", { client_id: "me", client_secret: "s3" }],
])("%j with %j has no credentials", (authorization, body) => {
  expect(refusal(authorization, body)).toBe("invalid_client");
});

test.each([
  { client_secret: "s3" },
  { client_id: "me", client_secret: "s3" },
  { client_id: "somebody else" },
])("credentials in the header together with %j are refused", (body) => {
  expect(refusal(basic("me:s3"), body)).toBe("invalid_request");
});
