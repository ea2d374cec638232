import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { HmacSha256 } from "./hmac-sha256.ts";

const nodes = (key: Uint8Array, head: string, body: Uint8Array): string =>
  createHmac("sha256", key).update(head, "latin1").update(body).digest("base64");

test("equals Node's own for keys and messages of any length, also when used again", () => {
  const heads = fc.string({ unit: "grapheme-ascii", maxLength: 80 });
  const messages = fc.array(fc.tuple(heads, fc.uint8Array({ maxLength: 300 })), { minLength: 1 });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), messages, (key, signed) => {
      const hmac = new HmacSha256(key);
      for (const [head, body] of signed) {
        expect(hmac.sign(head, body)).toBe(nodes(key, head, body));
      }
    }),
  );
});

test.each([0, 63, 64, 65, 128])("a key of %i bytes", (length) => {
  const key = Buffer.alloc(length, 0xaa);
  const body = Buffer.from("Test Using Larger Than Block-Size Key");
  expect(new HmacSha256(key).sign("", body)).toBe(nodes(key, "", body));
});
