import { expect, test } from "vitest";
import { OAuthRefused } from "../../domain/oauth.ts";
import { readForm } from "./form-body.ts";

const read = (text: string) => ({ ...readForm(Buffer.from(text, "latin1")) });

test.each<[string, Record<string, string>]>([
  ["", {}],
  ["a=1&b=2", { a: "1", b: "2" }],
  ["a=x+y%20z%2B", { a: "x y z+" }],
  ["a=%C3%BC&b=\u00c3\u00bc", { a: "ü", b: "ü" }],
  ["a=&b&c=1", { c: "1" }],
  ["a=b=c", { a: "b=c" }],
  ["a=%zz", { a: "%zz" }],
])("reads %j", (text, form) => {
  expect(read(text)).toEqual(form);
});

test.each(["a=1&a=2", "a=1&a=1", "a=&a=1", "a=1&%61=2"])(
  "refuses %j, which repeats a parameter",
  (text) => {
    expect(() => read(text)).toThrow(OAuthRefused);
  },
);

test("refuses bytes that are not UTF-8", () => {
  expect(() => read("a=\xff")).toThrow(OAuthRefused);
});

test("has only the names that were sent", () => {
  const form = readForm(Buffer.from("__proto__=x"));
  expect(form["__proto__"]).toBe("x");
  expect(form["constructor"]).toBeUndefined();
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});
