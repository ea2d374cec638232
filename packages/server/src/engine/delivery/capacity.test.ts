import fc from "fast-check";
import { expect, test } from "vitest";
import { Capacity } from "./capacity.ts";
import type { CountedTarget, Reservation } from "./reservation.ts";

const idle = (): CountedTarget => ({ inFlight: 0 });

test("an account with nothing under way finds room, however much the others hold", () => {
  const step = fc.record({ account: fc.nat(30), target: fc.nat(3), wanted: fc.nat(100) });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.array(step, { maxLength: 200 }),
      (limit, steps) => {
        const capacity = new Capacity(limit);
        const targets = new Map<string, CountedTarget>();
        const reservations: Reservation[] = [];
        const holders = new Set<string>();
        for (const { account, target, wanted } of steps) {
          const accountId = `account ${account}`;
          const name = `${accountId}/${target}`;
          const counted = targets.get(name) ?? { inFlight: 0 };
          targets.set(name, counted);
          const reservation = capacity.reserve(accountId, counted, wanted);
          if (!holders.has(accountId) && wanted > 0 && capacity.taken < 2 * limit) {
            expect(reservation?.size).toBeGreaterThan(0);
          }
          if (reservation !== undefined) {
            holders.add(accountId);
            reservations.push(reservation);
          }
          expect(capacity.taken).toBeLessThanOrEqual(limit + holders.size);
          expect(capacity.taken).toBeLessThanOrEqual(2 * limit);
        }
        for (const reservation of reservations) reservation.releaseRest();
        expect(capacity.taken).toBe(0);
        expect([...targets.values()].every(({ inFlight }) => inFlight === 0)).toBe(true);
      },
    ),
  );
});

test("targets of one account that hang leave room for its next one, and for other accounts", () => {
  const capacity = new Capacity(1_000);
  for (let hanging = 0; hanging < 17; hanging++) capacity.reserve("hanging", idle(), 50);
  expect(capacity.reserve("hanging", idle(), 1)?.size).toBe(1);
  expect(capacity.reserve("other", idle(), 50)?.size).toBe(50);
});

test("one account alone gets eight ninths, and one of its targets half of that", () => {
  const capacity = new Capacity(1_000);
  expect(capacity.roomFor("alone")).toBe(888);
  const target = idle();
  expect(capacity.reserve("alone", target, 1_000)?.size).toBe(444);
  expect(target.inFlight).toBe(444);
  expect(capacity.reserve("alone", target, 1_000)).toBeUndefined();
});

test("accounts that take all they can end with equal shares", () => {
  const capacity = new Capacity(1_000);
  const held = [0, 0, 0];
  for (let repeat = 0; repeat < 1_000; repeat++) {
    for (const [account, count] of held.entries()) {
      const accountId = String(account);
      // Many small targets, so that only the account's own share is a bound.
      if (capacity.roomFor(accountId) > 0) {
        held[account] = count + (capacity.reserve(accountId, idle(), 1)?.size ?? 0);
      }
    }
  }
  expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
  expect(capacity.taken).toBeGreaterThan(950);
});
