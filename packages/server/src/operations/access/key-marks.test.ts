import fc from "fast-check";
import { expect, test } from "vitest";
import { systemRandom } from "../../platform/random.ts";
import { generateKey } from "./create-key.ts";
import { createKeyMarks } from "./key-marks.ts";

const keyMarks = createKeyMarks(Buffer.alloc(32, 1));

test("a key that the service made is marked, and no variation of it is", () => {
  const key = generateKey({ random: systemRandom, keyMarks });
  expect(key).toMatch(/^pd_[\w-]{55}$/);
  expect(keyMarks.isMarked(key)).toBe(true);
  expect(createKeyMarks(Buffer.alloc(32, 2)).isMarked(key)).toBe(false);
  for (let index = 0; index < key.length; index++) {
    const other = key[index] === "A" ? "B" : "A";
    const changed = key.slice(0, index) + other + key.slice(index + 1);
    expect(keyMarks.isMarked(changed)).toBe(false);
  }
});

test("keys that an operator chose or an attacker made up have no mark", () => {
  expect(keyMarks.isMarked("pd_root_key_of_the_test_suite")).toBe(false);
  expect(keyMarks.isMarked(`pd_${systemRandom.bytes(32).toString("base64url")}`)).toBe(false);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !keyMarks.isMarked(text)));
});
