import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSecretBox } from "../../platform/keyring.ts";
import { systemRandom } from "../../platform/random.ts";
import { optionsText } from "./given-options.ts";

const box = createSecretBox(randomBytes(32), systemRandom);
const headers = { authorization: "Basic weak", "x-a": "b" };

test("what tells requests with headers apart is of no use without the key", () => {
  const told = optionsText({ headers, labels: { a: "b" } }, box);
  expect(told).not.toContain("weak");
  const other = createSecretBox(randomBytes(32), systemRandom);
  expect(optionsText({ headers, labels: { a: "b" } }, other)).not.toBe(told);
  expect(optionsText({ headers: { ...headers, "x-a": "c" }, labels: { a: "b" } }, box)).not.toBe(
    told,
  );
});

test("the order of labels and headers is no difference", () => {
  const reversed = { "x-a": "b", authorization: "Basic weak" };
  const labels = { c: "d", a: "b" };
  expect(optionsText({ labels, headers }, box)).toBe(
    optionsText({ headers: reversed, labels: { a: "b", c: "d" } }, box),
  );
});

test("nothing given is nothing told, without the key too", () => {
  expect(optionsText({}, box)).toBeUndefined();
  const told = JSON.stringify([
    ["notAfter", null],
    ["timeoutMs", 5],
  ]);
  expect(optionsText({ timeoutMs: 5, notAfter: null }, box)).toBe(told);
});
