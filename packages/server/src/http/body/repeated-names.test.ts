import { expect, test, vi } from "vitest";
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
  expect(findRepeatedName(Buffer.from(text))).toBe(name);
});

test("only the names of a body with large strings are decoded", () => {
  const payload = '\\\\\\"'.repeat(100_000);
  const bytes = Buffer.from(`{"messages":[{"payload":"${payload}","a":1,"é":2,"\\u00e9":3}]}`);
  const [read, found] = [vi.spyOn(JSON, "parse"), vi.spyOn(bytes, "toString")];
  const name = findRepeatedName(bytes);
  const texts = read.mock.calls.map(([text]) => text);
  const made = found.mock.results.map(({ value }) => value as string);
  read.mockRestore();
  expect(name).toBe("messages[0].é");
  expect(texts).toEqual(['"messages"', '"payload"', '"a"', '"é"', '"\\u00e9"']);
  expect(made).toEqual(texts);
});

test("a long name is shortened", () => {
  const name = "n".repeat(1_000);
  expect(findRepeatedName(Buffer.from(`{"a":{"${name}":1,"${name}":2}}`))).toBe(
    `a.${"n".repeat(100)}…`,
  );
});
