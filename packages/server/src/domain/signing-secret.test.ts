import fc from "fast-check";
import { expect, test } from "vitest";
import { signingSecretFault, signingSecretOf } from "./signing-secret.ts";

test("a secret made of 24 to 64 bytes is fine, a shorter or longer one is not", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (key) => {
      const fine = key.length >= 24 && key.length <= 64;
      expect(signingSecretFault(signingSecretOf(key)) === undefined).toBe(fine);
    }),
  );
});

test.each([
  ["no prefix", Buffer.alloc(32).toString("base64"), "begin with"],
  ["no padding", `whsec_${Buffer.alloc(32).toString("base64").replace("=", "")}`, "padding"],
  ["base64url", `whsec_${Buffer.alloc(32, 255).toString("base64url")}`, "padding"],
  ["not base64 at all", "whsec_correct horse battery staple", "padding"],
  ["nothing behind the prefix", "whsec_", "0"],
])("%s is refused", (_name, secret, reason) => {
  expect(signingSecretFault(secret)).toContain(reason);
});
