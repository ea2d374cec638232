import { expect, test } from "vitest";
import { formattedJson } from "./formatted-json.ts";

test("only white space moves: numbers, repeated names and escapes stay as they are", () => {
  const text =
    '{"id":12345678901234567890,"id":1.0e5,"t":"\\u00e9 {,}","e":{},"l":[ ],"n":[1,[true,null]]}';
  const shown = formattedJson(text)!;
  expect(shown).toBe(`{
  "id": 12345678901234567890,
  "id": 1.0e5,
  "t": "\\u00e9 {,}",
  "e": {},
  "l": [],
  "n": [
    1,
    [
      true,
      null
    ]
  ]
}`);
  expect(JSON.parse(shown)).toEqual(JSON.parse(text));
});

test.each(["7", '"text"', "[]", " {} "])("%s is JSON", (text) => {
  expect(formattedJson(text)).toBe(text.trim());
});

test.each([
  "",
  "hello",
  "{",
  "[1,]",
  '{"a"}',
  '{"a":}',
  "{1:2}",
  "1 2",
  '"open',
  "01",
  "[1}",
  "<b>",
])("%s is not JSON", (text) => {
  expect(formattedJson(text)).toBeUndefined();
});

test("what is nested without end is left alone", () => {
  expect(formattedJson("[".repeat(100_000))).toBeUndefined();
});
