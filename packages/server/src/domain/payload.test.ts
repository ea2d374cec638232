import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codePointCount, payloadFault, payloadLimit } from "./payload.ts";

describe("payload", () => {
  test("is counted in code points", () => {
    const mostlySurrogates = fc.array(fc.integer({ min: 0xd700, max: 0xe0ff }), { maxLength: 60 });
    const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.oneof(anyUnits, mostlySurrogates), (units) => {
        const text = String.fromCharCode(...units);
        expect(codePointCount(text)).toBe([...text].length);
      }),
    );
  });

  test("must be text that UTF-8 can encode", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0xd700, max: 0xe0ff })), (units) => {
        const text = String.fromCharCode(...units);
        const survives = Buffer.from(text, "utf8").toString("utf8") === text;
        expect(payloadFault(text)).toBe(survives ? undefined : "lone-surrogate");
      }),
    );
  });

  test.each([
    ["nothing", "", undefined],
    ["the longest in one unit each", "x".repeat(payloadLimit), undefined],
    ["one more", "x".repeat(payloadLimit + 1), "too-long"],
    ["the longest in two units each", "🕰".repeat(payloadLimit), undefined],
    ["one emoji more", "🕰".repeat(payloadLimit + 1), "too-long"],
    ["NUL and line separators", "\0\u2028\u2029", undefined],
  ])("%s", (_name, text, fault) => {
    expect(payloadFault(text)).toBe(fault);
  });
});
