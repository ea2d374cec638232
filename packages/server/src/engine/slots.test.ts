import fc from "fast-check";
import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

test("never more than the limit, and what is given back can be taken again", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.record({ target: fc.nat(5), wanted: fc.nat(100) }), { maxLength: 100 }),
      (limit, steps) => {
        const slots = new Slots(limit);
        const held = new Map<number, number>();
        for (const { target, wanted } of steps) {
          const before = held.get(target) ?? 0;
          held.set(target, before + slots.take(wanted, before));
          expect(slots.taken).toBeLessThanOrEqual(limit);
        }
        for (const count of held.values()) slots.giveBack(count);
        expect(slots.taken).toBe(0);
      },
    ),
  );
});

test("targets that hang leave room for the next one", () => {
  const slots = new Slots(1_000);
  for (let hanging = 0; hanging < 20; hanging++) slots.take(50, 0);
  expect(slots.take(1, 0)).toBe(1);
});

test("one target alone gets half", () => {
  const slots = new Slots(1_000);
  const held = slots.take(1_000, 0);
  expect(held).toBe(500);
  expect(slots.take(1_000, held)).toBe(0);
});
