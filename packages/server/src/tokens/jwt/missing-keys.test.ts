import { expect, test } from "vitest";
import { MissingKeys } from "./missing-keys.ts";

function openKeys() {
  let now = 0;
  const keys = new MissingKeys({ monotonic: () => now });
  return { keys, pass: (ms: number) => void (now += ms) };
}

test("a name is remembered for five seconds, from the last look", () => {
  const { keys, pass } = openKeys();
  keys.add("retired");
  pass(4_000);
  keys.add("retired");
  pass(4_999);
  expect([keys.has("retired"), keys.has("other"), keys.has(undefined)]).toEqual([
    true,
    false,
    false,
  ]);
  pass(1);
  expect(keys.has("retired")).toBe(false);
});

test("of many names the latest thousand are remembered", () => {
  const { keys } = openKeys();
  for (let count = 0; count < 1_001; count++) keys.add(`made up ${count}`);
  expect([0, 1, 1_000].map((count) => keys.has(`made up ${count}`))).toEqual([false, true, true]);
});

test("a name that is longer than any issuer's is not remembered, nor is none", () => {
  const { keys } = openKeys();
  keys.add("k".repeat(200));
  keys.add("k".repeat(201));
  keys.add(undefined);
  expect([keys.has("k".repeat(200)), keys.has("k".repeat(201)), keys.has(undefined)]).toEqual([
    true,
    false,
    false,
  ]);
});
