import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createKeyring, createSecretBox } from "./keyring.ts";
import { deriveKey, keyIdIn } from "./secret-box.ts";
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

test("values of the first key have no id, and values of every other key say whose they are", () => {
  const [one, two] = [randomBytes(32), randomBytes(32)];
  const first = createSecretBox(one, systemRandom).seal("text", "p");
  expect(keyIdIn(first)).toBeNull();
  const both = createKeyring({ current: two, others: [one], random: systemRandom });
  // Not known yet: each key is tried.
  expect(both.openBy(first, "p").key.master).toBe(one);
  both.knowFirst(both.openBy(first, "p").key.keyId);
  expect(both.open(first, "p")).toBe("text");
  const second = both.seal("text", "p");
  expect([both.keyIdOf(first), both.keyIdOf(second)]).toEqual([both.firstKeyId, both.keyId]);
  expect(keyIdIn(second)).toBe(both.keyId);
  const onlySecond = createKeyring({ current: two, others: [], random: systemRandom });
  expect(onlySecond.open(second, "p")).toBe("text");
  expect(() => onlySecond.open(first, "p")).toThrow();
  const onlyFirst = createKeyring({ current: one, others: [], random: systemRandom });
  expect(() => onlyFirst.open(second, "p")).toThrow(
    `sealed with the key ${both.keyId}, which is not at hand`,
  );
  for (let index = 0; index < 30; index++) {
    const edited = Buffer.from(second, "base64");
    edited[index]! ^= 1;
    expect(() => both.open(edited.toString("base64"), "p")).toThrow();
  }
});

test("marks stay the same when the key that seals is exchanged", () => {
  const [one, two] = [randomBytes(32), randomBytes(32)];
  const before = createSecretBox(one, systemRandom).mark("text", "p");
  const keyring = createKeyring({ current: two, others: [one], random: systemRandom });
  keyring.markBy(deriveKey(one, "mark"));
  expect(keyring.mark("text", "p")).toBe(before);
  keyring.use(keyring.keyIds[1]!);
  expect(keyring.mark("text", "p")).toBe(before);
});
