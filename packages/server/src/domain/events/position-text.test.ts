import { expect, test } from "vitest";
import { positionText, readPositionText } from "./position-text.ts";

test.each([
  { position: 0, mark: null },
  { position: 1, mark: "2y7c9k4m1x" },
  { position: 417, mark: null },
  { position: Number.MAX_SAFE_INTEGER, mark: "0000000000" },
])("$position with mark $mark is read as it was written", (place) => {
  expect(readPositionText(positionText(place))).toEqual(place);
});

const encoded = (text: string): string => Buffer.from(text).toString("base64url");
const some = positionText({ position: 417, mark: "2y7c9k4m1x" });

test.each([
  "",
  "417",
  "oldest",
  `${some}=`,
  ` ${some}`,
  some.toLowerCase(),
  encoded("2:417"),
  encoded("1:0417"),
  encoded("1:-1"),
  encoded("1:4.5"),
  encoded("1:"),
  encoded("1:9007199254740993"),
  encoded("1:417\n"),
  encoded("1:417:"),
  encoded("1:417:2Y7C"),
  encoded("1:417:2y7c9k4m1xx"),
  encoded("1:417:2y7c:2y7c"),
  "😀",
])("%j is no position", (text) => {
  expect(readPositionText(text)).toBeUndefined();
});
