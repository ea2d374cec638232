import { expect, test } from "vitest";
import { idempotencyOf } from "./idempotency.ts";

const request = {
  targetId: "orders",
  deliveryTime: 4_070_908_800_000,
  payload: "hello",
  options: undefined,
};
const fingerprintOf = (change: Partial<Parameters<typeof idempotencyOf>[1]> = {}) =>
  idempotencyOf("k", { ...request, ...change }).fingerprint;

test("a request has the fingerprint that earlier versions have stored", () => {
  expect(fingerprintOf()).toBe("rv446RLVOX2_X2qDCZl0zfOItWWZmkWUrutPzL2ea8c");
});

test("requests that differ in anything have different fingerprints", () => {
  const different = [
    fingerprintOf(),
    fingerprintOf({ targetId: "order" }),
    fingerprintOf({ payload: "hello " }),
    fingerprintOf({ deliveryTime: -4_070_908_800_000 }),
    fingerprintOf({ deliveryTime: { delayMs: 4_070_908_800_000 } }),
    fingerprintOf({ deliveryTime: { delayMs: 0 } }),
    fingerprintOf({ deliveryTime: 0 }),
    fingerprintOf({ options: "[]" }),
    fingerprintOf({ options: '[["timeoutMs",1]]' }),
  ];
  expect(new Set(different).size).toBe(different.length);
});

test("the same delay is the same request, whenever it is asked", () => {
  expect(fingerprintOf({ deliveryTime: { delayMs: 5 } })).toBe(
    fingerprintOf({ deliveryTime: { delayMs: 5 } }),
  );
});
