import fc from "fast-check";
import { expect, test } from "vitest";
import { Capacity } from "./capacity.ts";

function reserved(wanted: number) {
  const released: number[] = [];
  const capacity = new Capacity(1_000, (taken) => released.push(taken));
  const target = { inFlight: 0 };
  const reservation = capacity.reserve("acc", target, wanted)!;
  return { capacity, target, reservation, released };
}

test("a slot leaves its target when the attempt ends, and its account when the outcome is recorded", () => {
  const { capacity, target, reservation, released } = reserved(3);
  const slot = reservation.take();
  reservation.releaseRest();
  expect([target.inFlight, capacity.taken]).toEqual([1, 1]);
  slot.leaveTarget();
  expect([target.inFlight, capacity.taken]).toEqual([0, 1]);
  slot.release();
  expect([target.inFlight, capacity.taken]).toEqual([0, 0]);
  expect(released).toEqual([1, 0]);
});

test("a second release does nothing, for a slot and for the rest", () => {
  const { capacity, target, reservation, released } = reserved(5);
  const [slot, other] = [reservation.take(), reservation.take()];
  for (let times = 0; times < 3; times++) reservation.releaseRest();
  for (let times = 0; times < 3; times++) slot.leaveTarget();
  for (let times = 0; times < 3; times++) slot.release();
  slot.leaveTarget();
  expect([target.inFlight, capacity.taken]).toEqual([1, 1]);
  expect(released).toEqual([2, 1]);
  other.release();
  expect([target.inFlight, capacity.taken]).toEqual([0, 0]);
});

test("releases in any order, and repeated ones, give back exactly what was reserved", () => {
  const step = fc.record({ slot: fc.nat(9), leaves: fc.boolean() });
  fc.assert(
    fc.property(fc.nat(9), fc.array(step, { maxLength: 60 }), (used, steps) => {
      const { capacity, target, reservation } = reserved(10);
      const other = capacity.reserve("acc", { inFlight: 0 }, 7)!;
      const slots = Array.from({ length: used }, () => reservation.take());
      const left = new Set(slots);
      const held = new Set(slots);
      reservation.releaseRest();
      for (const { slot: index, leaves } of steps) {
        const slot = slots[index];
        if (slot === undefined) continue;
        left.delete(slot);
        if (leaves) slot.leaveTarget();
        else {
          slot.release();
          held.delete(slot);
        }
        expect([target.inFlight, capacity.taken]).toEqual([left.size, held.size + other.size]);
      }
    }),
  );
});

test("a store that claims more than it was asked for is counted in full", () => {
  const { capacity, target, reservation } = reserved(1);
  const slots = [reservation.take(), reservation.take()];
  reservation.releaseRest();
  expect([target.inFlight, capacity.taken]).toEqual([2, 2]);
  for (const slot of slots) slot.release();
  expect([target.inFlight, capacity.taken]).toEqual([0, 0]);
});

test("no slot can be taken once the rest is released", () => {
  const { capacity, target, reservation } = reserved(2);
  reservation.releaseRest();
  expect(() => reservation.take()).toThrow("released already");
  expect([target.inFlight, capacity.taken]).toEqual([0, 0]);
});
