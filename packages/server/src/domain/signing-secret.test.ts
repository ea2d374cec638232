import { expect, test } from "vitest";
import { signingKeyOf, signingSecretFault, signingSecretOf } from "./signing-secret.ts";

test("the key can be read back from its secret", () => {
  const key = Buffer.alloc(32, 7);
  const secret = signingSecretOf(key);
  expect(secret).toMatch(/^whsec_/);
  expect(signingSecretFault(secret)).toBeUndefined();
  expect(signingKeyOf(secret)).toEqual(key);
});

test.each([
  [23, false],
  [24, true],
  [64, true],
  [65, false],
])("a secret of %i bytes: %s", (length, fine) => {
  expect(signingSecretFault(signingSecretOf(Buffer.alloc(length, 7))) === undefined).toBe(fine);
});

test.each([
  "",
  "whsec_",
  "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
  "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa*w",
  " whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
])("%j is not a secret", (text) => {
  expect(signingSecretFault(text)).toBeTypeOf("string");
  expect(() => signingKeyOf(text)).toThrow("not a signing secret");
});
