import { expect, test } from "vitest";
import { findRepeatedName } from "./repeated-names.ts";

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
