import fc from "fast-check";
import { expect, test } from "vitest";
import { arrayLiteral } from "./array-literal.ts";
import { packPayloads } from "./packed-payloads.ts";

test("every payload is found at its start and length", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (texts) => {
      const { bytes, starts, lengths } = packPayloads(texts.map((payload) => ({ payload })));
      const found = starts.map((start, index) =>
        bytes.toString("utf8", start - 1, start - 1 + lengths[index]!),
      );
      expect(found).toEqual(texts);
    }),
  );
});

test("numbers and words are written as they are, and null as NULL", () => {
  expect(arrayLiteral([])).toBe("{}");
  expect(arrayLiteral([0, -62_135_596_800_000, null, "0199f-a"])).toBe(
    "{0,-62135596800000,NULL,0199f-a}",
  );
});
