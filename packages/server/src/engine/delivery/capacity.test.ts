import fc from "fast-check";
import { expect, test } from "vitest";
import { Capacity } from "./capacity.ts";

test("an account with nothing under way finds room, whatever the others hold", () => {
  const step = fc.record({ account: fc.nat(30), target: fc.nat(3), wanted: fc.nat(100) });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.array(step, { maxLength: 200 }),
      (limit, steps) => {
        const capacity = new Capacity(limit);
        const held = new Map<string, number>();
        const holders = new Set<string>();
        for (const { account, target, wanted } of steps) {
          const accountId = `account ${account}`;
          const name = `${accountId}/${target}`;
          const inFlight = held.get(name) ?? 0;
          const granted = capacity.reserve({ accountId, inFlight }, wanted);
          if (!holders.has(accountId) && wanted > 0 && capacity.taken < 2 * limit) {
            expect(granted).toBeGreaterThan(0);
          }
          if (granted > 0) holders.add(accountId);
          held.set(name, inFlight + granted);
          expect(capacity.taken).toBeLessThanOrEqual(limit + holders.size);
          expect(capacity.taken).toBeLessThanOrEqual(2 * limit);
        }
        for (const [name, count] of held) capacity.release(name.split("/")[0]!, count);
        expect(capacity.taken).toBe(0);
      },
    ),
  );
});

test("targets of one account that hang leave room for its next one, and for other accounts", () => {
  const capacity = new Capacity(1_000);
  for (let hanging = 0; hanging < 17; hanging++) {
    capacity.reserve({ accountId: "hanging", inFlight: 0 }, 50);
  }
  expect(capacity.reserve({ accountId: "hanging", inFlight: 0 }, 1)).toBe(1);
  expect(capacity.reserve({ accountId: "other", inFlight: 0 }, 50)).toBe(50);
});

test("one account alone gets eight ninths, and one of its targets half of that", () => {
  const capacity = new Capacity(1_000);
  expect(capacity.roomFor("alone")).toBe(888);
  const held = capacity.reserve({ accountId: "alone", inFlight: 0 }, 1_000);
  expect(held).toBe(444);
  expect(capacity.reserve({ accountId: "alone", inFlight: held }, 1_000)).toBe(0);
});

test("accounts that take all they can end with equal shares", () => {
  const capacity = new Capacity(1_000);
  const held = [0, 0, 0];
  for (let round = 0; round < 1_000; round++) {
    for (const [account, inFlight] of held.entries()) {
      const accountId = String(account);
      // Many small targets, so that only the account's own share is a bound.
      if (capacity.roomFor(accountId) > 0) {
        held[account] = inFlight + capacity.reserve({ accountId, inFlight: 0 }, 1);
      }
    }
  }
  expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
  expect(capacity.taken).toBeGreaterThan(950);
});
