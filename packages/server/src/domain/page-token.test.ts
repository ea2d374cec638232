import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPageTokens } from "./page-token.ts";
import type { PageWalk } from "./page-token.ts";

const tokens = createPageTokens(Buffer.alloc(32, 7));
const nullable = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const walks: fc.Arbitrary<PageWalk> = fc.record({
  accountId: fc.string(),
  operation: fc.constantFrom("listScheduledMessages", "listDeadLetters", "listTargets"),
  targetId: nullable(fc.string()),
  minTime: nullable(fc.integer()),
  maxTime: nullable(fc.integer()),
});
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

  test("no text makes it throw", () => {
    fc.assert(
      fc.property(walks, anyText, (walk, text) => {
        expect(tokens.read(walk, text)).toBeUndefined();
      }),
    );
  });
});
