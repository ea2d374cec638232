import fc from "fast-check";
import { expect, test } from "vitest";
import { planSigningKeys, signingKeyLeadMs, stateOfKey } from "./signing-keys.ts";
import type { DatedKey } from "./signing-keys.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const times = { tokenLifetimeMs: hour, rotationMs: 30 * day };
const old: DatedKey = { keyId: "old", creationTime: 0 };

const plan = (keys: readonly DatedKey[], now: number) => planSigningKeys(keys, now, times);
const signerAt = (keys: readonly DatedKey[], now: number) => plan(keys, now).signer?.keyId;

test("without any key, one is due and none signs", () => {
  expect(plan([], 5)).toEqual({ keys: [], signer: undefined, newKeyDue: true, retired: [] });
});

test("the only key signs at once", () => {
  expect(signerAt([old], 0)).toBe("old");
  expect(plan([old], 0).newKeyDue).toBe(false);
});

test("a new key is due when the newest is old enough", () => {
  expect(plan([old], 30 * day - 1).newKeyDue).toBe(false);
  expect(plan([old], 30 * day).newKeyDue).toBe(true);
  expect(plan([old, { keyId: "new", creationTime: day }], 30 * day).newKeyDue).toBe(false);
});

test("a new key is published for a while before it signs", () => {
  const keys = [{ keyId: "new", creationTime: 30 * day }, old];
  const signsFrom = 30 * day + signingKeyLeadMs;
  expect(signerAt(keys, signsFrom - 1)).toBe("old");
  expect(signerAt(keys, signsFrom)).toBe("new");
  expect(plan(keys, signsFrom).keys.map(({ keyId }) => keyId)).toEqual(["old", "new"]);
});

test("a second key, made soon after the first, waits for its own lead time", () => {
  const keys = [old, { keyId: "new", creationTime: minute }];
  expect(signerAt(keys, 2 * minute)).toBe("old");
  expect(signerAt(keys, signingKeyLeadMs)).toBe("old");
  expect(signerAt(keys, signingKeyLeadMs + minute)).toBe("new");
});

test("the previous key stays until its last token has expired, and a little longer", () => {
  const keys = [old, { keyId: "new", creationTime: 30 * day }];
  const lastExpires = 30 * day + signingKeyLeadMs + hour;
  expect(plan(keys, lastExpires).retired).toEqual([]);
  expect(plan(keys, lastExpires + minute).retired).toEqual([old]);
});

test("every key is upcoming, signing or previous", () => {
  const keys = [old, { keyId: "b", creationTime: day }, { keyId: "c", creationTime: day + 1 }];
  const { keys: sorted, signer } = plan(keys, day + signingKeyLeadMs);
  const states = sorted.map((key) => stateOfKey(key, { keys: sorted, signer }));
  expect(states).toEqual(["PREVIOUS", "SIGNING", "UPCOMING"]);
});

const steps = fc.array(fc.integer({ min: 1, max: 3 * day }), { minLength: 1, maxLength: 150 });
const settings = fc.record({
  tokenLifetimeMs: fc.integer({ min: minute, max: 2 * day }),
  rotationMs: fc.integer({ min: minute, max: 10 * day }),
});

test("at any time one key signs, and every unexpired token has its key", () => {
  fc.assert(
    fc.property(settings, steps, fc.infiniteStream(fc.boolean()), (given, delays, forced) => {
      let now = 0;
      let keys: readonly DatedKey[] = [];
      const tokens: { keyId: string; expiresAt: number }[] = [];
      for (const delayMs of delays) {
        now += delayMs;
        // An operator may also rotate at any time.
        if (planSigningKeys(keys, now, given).newKeyDue || forced.next().value === true) {
          keys = [...keys, { keyId: `key-${keys.length}-${now}`, creationTime: now }];
        }
        const { signer, retired } = planSigningKeys(keys, now, given);
        expect(keys).toContain(signer);
        expect(retired).not.toContain(signer);
        keys = keys.filter((key) => !retired.includes(key));
        tokens.push({ keyId: signer!.keyId, expiresAt: now + given.tokenLifetimeMs });
        const published = new Set(keys.map(({ keyId }) => keyId));
        for (const token of tokens) {
          if (token.expiresAt > now) expect(published).toContain(token.keyId);
        }
      }
    }),
  );
});

test("a signing key was published for the lead time, unless it was the oldest key", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: day }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 0, max: 2 * day }),
      (creationTimes, later) => {
        const now = Math.max(...creationTimes) + later;
        const keys = creationTimes.map((creationTime, index) => ({
          keyId: String(index),
          creationTime,
        }));
        const { signer } = planSigningKeys(keys, now, times);
        const oldest = Math.min(...creationTimes);
        expect(
          signer!.creationTime === oldest || signer!.creationTime + signingKeyLeadMs <= now,
        ).toBe(true);
      },
    ),
  );
});
