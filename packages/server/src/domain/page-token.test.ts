import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPageTokens } from "./page-token.ts";
import type { PageWalk } from "./page-token.ts";

const tokens = createPageTokens(Buffer.alloc(32, 7));
const nullable = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const parts = {
  accountId: fc.string(),
  operation: fc.constantFrom("listScheduledMessages", "listDeadLetters", "listTargets"),
  targetId: nullable(fc.string()),
  minTime: nullable(fc.integer()),
  maxTime: nullable(fc.integer()),
};
const searches: fc.Arbitrary<PageWalk> = fc.record({ ...parts, search: fc.string() });
const walks: fc.Arbitrary<PageWalk> = fc.oneof(fc.record(parts), searches);
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }))
  .map((units) => String.fromCharCode(...units));
const cursors = fc.string();

describe("page token", () => {
  test("gives back the cursor in the walk that it was issued for", () => {
    fc.assert(
      fc.property(walks, cursors, (walk, cursor) => {
        const token = tokens.issue(walk, cursor);
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(tokens.read(walk, token)).toBe(cursor);
      }),
    );
  });

  test("is refused in any other walk", () => {
    fc.assert(
      fc.property(walks, walks, cursors, (walk, other, cursor) => {
        const mixed: PageWalk[] = (Object.keys(walk) as (keyof PageWalk)[])
          .filter((part) => walk[part] !== other[part])
          .map((part) => ({ ...walk, [part]: other[part] }));
        for (const elsewhere of mixed) {
          expect(tokens.read(elsewhere, tokens.issue(walk, cursor))).toBeUndefined();
        }
      }),
    );
  });

  test("is refused with another key", () => {
    const others = createPageTokens(Buffer.alloc(32, 8));
    fc.assert(
      fc.property(walks, cursors, (walk, cursor) => {
        expect(others.read(walk, tokens.issue(walk, cursor))).toBeUndefined();
      }),
    );
  });

  test("is refused when a character is changed, added or removed", () => {
    const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n";
    fc.assert(
      fc.property(
        walks,
        cursors,
        fc.nat(),
        fc.constantFrom(...characters, ""),
        fc.boolean(),
        (walk, cursor, position, character, insert) => {
          const token = tokens.issue(walk, cursor);
          const at = position % (token.length + 1);
          const edited = token.slice(0, at) + character + token.slice(insert ? at : at + 1);
          fc.pre(edited !== token);
          expect(tokens.read(walk, edited)).toBeUndefined();
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test("of a search hides its cursor", () => {
    const long = fc.string({ minLength: 8 });
    fc.assert(
      fc.property(searches, long, long, (walk, cursor, other) => {
        const bytes = Buffer.from(tokens.issue(walk, cursor), "base64url");
        expect(bytes.includes(cursor)).toBe(false);
        // The same bits for two cursors would show where they differ.
        fc.pre(other !== cursor && Buffer.byteLength(other) === Buffer.byteLength(cursor));
        const beside = Buffer.from(tokens.issue(walk, other), "base64url");
        const between = (one: Buffer, two: Buffer) => one.map((byte, at) => byte ^ two[at]!);
        expect(between(bytes.subarray(16), beside.subarray(16))).not.toEqual(
          between(Buffer.from(cursor), Buffer.from(other)),
        );
      }),
    );
  });

  test("no text makes it throw", () => {
    fc.assert(
      fc.property(walks, anyText, (walk, text) => {
        expect(tokens.read(walk, text)).toBeUndefined();
      }),
    );
  });
});
