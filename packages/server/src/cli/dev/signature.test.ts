import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { signatureFault } from "./signature.ts";

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const other = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
const now = 1_794_648_600_000;
const body = Buffer.from("payload 😀\u0000");

function signedBy(...secrets: readonly string[]) {
  // The library needs only this method of a date.
  const at = { getTime: () => now } as Date;
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(now / 1000),
    "webhook-signature": secrets
      .map((one) => new Webhook(one).sign("msg_1", at, body.toString()))
      .join(" "),
  };
}

test("accepts what the Standard Webhooks library signs, also beside another signature", () => {
  for (const headers of [signedBy(secret), signedBy(other, secret)]) {
    expect(signatureFault({ headers, body, secret, now })).toBeUndefined();
  }
});

test("notices another secret, another body, another id, a short signature and none", () => {
  const headers = signedBy(secret);
  const wrong = "wrong signature";
  expect(signatureFault({ headers, body, secret: other, now })).toBe(wrong);
  expect(signatureFault({ headers, body: Buffer.from("x"), secret, now })).toBe(wrong);
  expect(
    signatureFault({ headers: { ...headers, "webhook-id": "msg_2" }, body, secret, now }),
  ).toBe(wrong);
  expect(
    signatureFault({ headers: { ...headers, "webhook-signature": "v1,AA==" }, body, secret, now }),
  ).toBe(wrong);
  expect(signatureFault({ headers: {}, body, secret, now })).toBe("not signed");
});

test("notices a timestamp that is minutes off", () => {
  const headers = signedBy(secret);
  expect(signatureFault({ headers, body, secret, now: now + 301_000 })).toMatch(/timestamp/);
  expect(signatureFault({ headers, body, secret, now: now - 301_000 })).toMatch(/timestamp/);
});
