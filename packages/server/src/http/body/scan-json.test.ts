import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanJson } from "./scan-json.ts";
import type { JsonLimits } from "./scan-json.ts";

const roomy: JsonLimits = {
  mostValues: Infinity,
  mostNames: Infinity,
  deepest: Infinity,
  longestName: Infinity,
};
const scan = (text: string, limits: Partial<JsonLimits> = {}) =>
  scanJson(Buffer.from(text), { ...roomy, ...limits });

/** A value as text, with blanks and escapes wherever JSON allows them, and the counts that the scan must find. */
interface Written {
  readonly text: string;
  readonly values: number;
  readonly names: number;
  readonly depth: number;
  readonly longestName: number;
  /** The most names that one object has. */
  readonly widest: number;
}

const blanks = fc.string({ unit: fc.constantFrom(" ", "\t", "\n", "\r"), maxLength: 3 });
const piece = fc.oneof(
  fc.constantFrom('\\"', "\\\\", "\\/", "\\n", "\\u0022", "\\u005c", "\\ud800", "é", "😀"),
  fc.constantFrom("{", "}", "[", "]", ":", ",", "{}", "a", " ".repeat(70), "x".repeat(200)),
  // Long runs of backslashes: only their number tells whether the last one escapes what follows.
  fc.integer({ min: 0, max: 150 }).map((pairs) => "\\\\".repeat(pairs)),
  fc.integer({ min: 0, max: 150 }).map((count) => '\\"'.repeat(count)),
);
const string = fc.array(piece, { maxLength: 8 }).map((pieces) => `"${pieces.join("")}"`);
const scalar = fc.oneof(string, fc.constantFrom("0", "-1.5e+10", "true", "false", "null"));
const leaf = scalar.map((text) => ({
  text,
  values: 1,
  names: 0,
  depth: 0,
  longestName: 0,
  widest: 0,
}));
const written = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc
      .tuple(fc.array(fc.tuple(blanks, tie("value"), blanks), { maxLength: 5 }), blanks)
      .map(([entries, blank]) => joined("[", "]", entries, blank, [])),
    fc
      .tuple(
        fc.array(fc.tuple(blanks, tie("value"), blanks, string, blanks), { maxLength: 5 }),
        blanks,
      )
      .map(([fields, blank]) =>
        joined(
          "{",
          "}",
          fields.map(([before, value, after, name, between]) => [
            before,
            { ...value, text: `${name}${between}:${after}${value.text}` },
            after,
          ]),
          blank,
          fields.map(([, , , name]) => Buffer.byteLength(name) - 2),
        ),
      ),
  ),
})).value;

function joined(
  open: string,
  close: string,
  entries: readonly (readonly [string, Written, string])[],
  blank: string,
  nameBytes: readonly number[],
): Written {
  const inner = entries.map(([, value]) => value);
  const text = entries.map(([before, value, after]) => before + value.text + after).join(",");
  return {
    text: `${open}${entries.length === 0 ? blank : text}${close}`,
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
    names: nameBytes.length + inner.reduce((sum, { names }) => sum + names, 0),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    longestName: Math.max(0, ...nameBytes, ...inner.map(({ longestName }) => longestName)),
    widest: Math.max(nameBytes.length, ...inner.map(({ widest }) => widest)),
  };
}

describe("text that JSON.parse accepts", () => {
  test("is counted exactly", () => {
    fc.assert(
      fc.property(written, blanks, (value, blank) => {
        const text = blank + value.text + blank;
        expect(() => JSON.parse(text)).not.toThrow();
        expect(scan(text)).toEqual({ names: value.names });
        // First with limits that just fit, then with each limit one lower.
        const { values, depth, longestName, widest } = value;
        const exact = { mostValues: values, mostNames: widest, deepest: depth, longestName };
        expect(scan(text, exact)).toEqual({ names: value.names });
        expect(scan(text, { mostValues: values - 1 })).toEqual(
          values === 1 ? { names: 0 } : { excess: "values" },
        );
        if (widest > 0) {
          expect(scan(text, { mostNames: widest - 1 })).toEqual({ excess: "names" });
        }
        if (depth > 0) expect(scan(text, { deepest: depth - 1 })).toEqual({ excess: "depth" });
        if (longestName > 0) {
          expect(scan(text, { longestName: longestName - 1 })).toEqual({ excess: "name" });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("text that JSON.parse rejects", () => {
  test("is held to the limits too, whatever follows", () => {
    fc.assert(
      fc.property(written, fc.nat(), string, (value, at, noise) => {
        const cut = value.text.slice(0, at % (value.text.length + 1));
        const text = `[${value.text},${cut}${noise}`;
        expect(() => JSON.parse(text)).toThrow();
        expect(scan(text, { mostValues: value.values })).toEqual({ excess: "values" });
        expect(scan(text, { deepest: value.depth })).toEqual({ excess: "depth" });
      }),
    );
  });

  test.each(["", '"', '"\\', '"\\"', "[", '{"a', "]]]]", '{"a":', '"\\\\\\', '"'.repeat(99)])(
    "the scan of %j ends",
    (text) => {
      expect(scan(text)).toHaveProperty("names");
    },
  );
});

test("the scan stops as soon as a limit is exceeded", () => {
  let read = 0;
  const bytes = new Proxy(Buffer.from(`[${"1,".repeat(100_000)}1]`), {
    get(target, name) {
      if (name === "length") return target.length;
      read = Math.max(read, Number(name));
      return Reflect.get(target, name, target) as unknown;
    },
  });
  expect(scanJson(bytes, { ...roomy, mostValues: 10 })).toEqual({ excess: "values" });
  expect(read).toBeLessThan(30);
});
