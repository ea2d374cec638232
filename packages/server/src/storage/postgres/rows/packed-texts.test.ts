import fc from "fast-check";
import { expect, test } from "vitest";
import { arrayLiteral, textArrayLiteral } from "./array-literal.ts";
import { packTexts } from "./packed-texts.ts";

test("every text is found at its start and length", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.string({ unit: "grapheme" }))), (texts) => {
      const { bytes, starts, lengths } = packTexts(texts);
      const found = starts.map((start, index) => {
        const length = lengths[index]!;
        return length === null ? null : bytes.toString("utf8", start - 1, start - 1 + length);
      });
      expect(found).toEqual(texts);
    }),
  );
});

test("a text that equals the one before is packed once", () => {
  const { bytes, starts, lengths } = packTexts(["a", "bc", "bc", null, null, "bc"]);
  expect(bytes.toString()).toBe("abcbc");
  expect([starts, lengths]).toEqual([
    [1, 2, 2, 4, 4, 4],
    [1, 2, 2, null, null, 2],
  ]);
});

test("numbers and words are written as they are, and null as NULL", () => {
  expect(arrayLiteral([])).toBe("{}");
  expect(arrayLiteral([0, -62_135_596_800_000, null, "0199f-a"])).toBe(
    "{0,-62135596800000,NULL,0199f-a}",
  );
});

test("text is quoted", () => {
  expect(textArrayLiteral([])).toBe("{}");
  expect(textArrayLiteral(["a b", null, "NULL", "", '"\\"'])).toBe(
    String.raw`{"a b",NULL,"NULL","","\"\\\""}`,
  );
});
