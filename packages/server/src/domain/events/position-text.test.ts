import { expect, test } from "vitest";
import { positionText, readPositionText } from "./position-text.ts";

test.each([0, 1, 417, Number.MAX_SAFE_INTEGER])("position %d is read as it was written", (one) => {
  expect(readPositionText(positionText(one))).toBe(one);
});

const encoded = (text: string): string => Buffer.from(text).toString("base64url");

test.each([
  "",
  "417",
  "oldest",
  `${positionText(417)}=`,
  ` ${positionText(417)}`,
  positionText(417).toLowerCase(),
  encoded("2:417"),
  encoded("1:0417"),
  encoded("1:-1"),
  encoded("1:4.5"),
  encoded("1:"),
  encoded("1:9007199254740993"),
  encoded("1:417\n"),
  "😀",
])("%j is no position", (text) => {
  expect(readPositionText(text)).toBeUndefined();
});
