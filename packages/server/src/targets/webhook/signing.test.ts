import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { systemRandom } from "../../platform/random.ts";
import { generatedKeyLength, signingSecretOf } from "../../domain/signing-secret.ts";
import { signatureHeader } from "./signing.ts";

const current = signingSecretOf(systemRandom.bytes(generatedKeyLength));
const previous = signingSecretOf(systemRandom.bytes(generatedKeyLength));
const payload = Buffer.from("a\u0000b\u2028😀", "utf8");

function sign(previousUntil: number | null, startTime: number) {
  const timestamp = String(Math.floor(startTime / 1_000));
  const secrets = { current, previous: previousUntil === null ? null : previous, previousUntil };
  const signature = signatureHeader({ secrets, messageId: "msg_1", payload, startTime }, timestamp);
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": timestamp,
    "webhook-signature": signature,
  };
}

function verify(secret: string, headers: Record<string, string>) {
  return new Webhook(secret).verify(payload, headers, { jsonParse: false });
}

test("the reference implementation accepts the signature", () => {
  const headers = sign(null, systemClock.now());
  expect(() => verify(current, headers)).not.toThrow();
  expect(() => verify(previous, headers)).toThrow("No matching signature found");
  expect(headers["webhook-signature"]).not.toContain(" ");
});

test("while a secret rotates, both secrets verify", () => {
  const now = systemClock.now();
  const headers = sign(now + 1, now);
  expect(() => verify(current, headers)).not.toThrow();
  expect(() => verify(previous, headers)).not.toThrow();
  expect(headers["webhook-signature"].split(" ")).toHaveLength(2);
});

test("the previous secret no longer signs when the overlap ends", () => {
  const now = systemClock.now();
  const headers = sign(now, now);
  expect(() => verify(current, headers)).not.toThrow();
  expect(() => verify(previous, headers)).toThrow("No matching signature found");
});
