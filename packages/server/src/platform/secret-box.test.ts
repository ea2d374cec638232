import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSecretBox, deriveKey } from "./secret-box.ts";
import { systemRandom } from "./random.ts";

const box = createSecretBox(randomBytes(32), systemRandom);

test("a sealed text opens only for its purpose, and two seals of a text differ", () => {
  const sealed = box.seal("whsec_é\0", "secrets");
  expect(box.open(sealed, "secrets")).toBe("whsec_é\0");
  expect(sealed).not.toContain("whsec");
  expect(box.seal("whsec_é\0", "secrets")).not.toBe(sealed);
  expect(() => box.open(sealed, "settings")).toThrow();
});

test("a seal does not open with another key, or when it was edited or truncated", () => {
  const sealed = Buffer.from(box.seal("text", "p"), "base64");
  const other = createSecretBox(randomBytes(32), systemRandom);
  expect(() => other.open(sealed.toString("base64"), "p")).toThrow();
  for (let index = 0; index < sealed.length; index++) {
    const edited = Buffer.from(sealed);
    edited[index]! ^= 1;
    expect(() => box.open(edited.toString("base64"), "p")).toThrow();
  }
  expect(() => box.open(sealed.subarray(0, 20).toString("base64"), "p")).toThrow();
});

test("a mark is the same for the same text, purpose and key, and for no other", () => {
  const marks = [
    box.mark("text", "p"),
    box.mark("text ", "p"),
    box.mark("text", "q"),
    createSecretBox(randomBytes(32), systemRandom).mark("text", "p"),
  ];
  expect(new Set(marks).size).toBe(marks.length);
  expect(box.mark("text", "p")).toBe(marks[0]);
});

test("keys for different purposes differ", () => {
  const master = randomBytes(32);
  expect(deriveKey(master, "a")).toEqual(deriveKey(master, "a"));
  expect(deriveKey(master, "a")).not.toEqual(deriveKey(master, "b"));
});
