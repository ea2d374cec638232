import { expect, test } from "vitest";
import { countNames, findRepeatedName } from "./repeated-names.ts";

test.each([
  ["{}", 0],
  ['{"a":1}', 1],
  ['{"a":":","b\\":":"\\\\"}', 2],
  ['{"a" \n\t\r : {"b":[{"c":1},{"c":"d"}]}}', 4],
  ['{"a":1,"a":2}', 2],
  ['["a","b"]', 0],
  ['{"\\\\\\"":"\\\\\\\\","b":"\\\\"}', 2],
])("%s has %i names", (text, count) => {
  expect(JSON.parse(text)).toBeDefined();
  expect(countNames(text)).toBe(count);
});

test.each([
  ['{"a":1,"a":1}', "a"],
  ['{"a":1,"\\u0061":1}', "a"],
  ['{"a":{"b":1},"c":{"b":1}}', undefined],
  ['{"a":{"b":{"c":[1,",",{"d":1,"e":"}","d":2}]}}}', "a.b.c[2].d"],
  ['{"m":[{"p":"{\\"p\\":1,"},{"q":1,"p":2,"p":3}]}', "m[1].p"],
  ['{"":1,"":2}', ""],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
  ['{"a":"a","b":"a"}', undefined],
])("%s repeats %s", (text, name) => {
  expect(JSON.parse(text)).toBeDefined();
  expect(findRepeatedName(text)).toBe(name);
});

test("millions of escaped quotation marks and of blanks are no matter", () => {
  const text = `{"a":"${'\\"'.repeat(1_000_000)}"${" ".repeat(1_000_000)}}`;
  expect(countNames(text)).toBe(1);
});
