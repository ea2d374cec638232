import { expect, test } from "vitest";
import type { Timers } from "../../../platform/timers.ts";
import { StoreUnavailable } from "../../store.ts";
import { Places } from "./places.ts";

/** Places, the names that have entered, and timers that the test fires. */
function scene(places: number, placesOfOne: number) {
  const entered: string[] = [];
  const timeouts = new Set<() => void>();
  const timers: Timers = {
    after(_, callback) {
      timeouts.add(callback);
      return { cancel: () => void timeouts.delete(callback) };
    },
  };
  const taking = new Places({ places, placesOfOne, timers });
  return {
    entered,
    timeouts,
    async take(name: string): Promise<() => void> {
      const giveBack = await taking.take(name, 1_000);
      entered.push(name);
      return giveBack;
    },
  };
}

test("one name cannot take all places", async () => {
  const { take, entered } = scene(4, 2);
  const [first] = [await take("a"), await take("a")];
  const third = take("a");
  await take("b");
  expect(entered).toEqual(["a", "a", "b"]);
  first();
  await third;
  expect(entered).toEqual(["a", "a", "b", "a"]);
});

test("names take turns, however many calls of one wait", async () => {
  const { take, entered } = scene(1, 1);
  let giveBack = await take("a");
  const waiting = ["a", "a", "a", "b", "c", "b"].map(async (name) => {
    giveBack = await take(name);
  });
  for (const _ of waiting) {
    const before = entered.length;
    giveBack();
    await expect.poll(() => entered.length).toBe(before + 1);
  }
  expect(entered).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
});

test("a call that waits too long is refused, and takes no place afterwards", async () => {
  const { take, entered, timeouts } = scene(1, 1);
  const giveBack = await take("a");
  const [late, patient] = [take("b"), take("b")];
  const [giveUpLate] = timeouts;
  giveUpLate!();
  await expect(late).rejects.toThrow(StoreUnavailable);
  giveBack();
  await patient;
  expect(entered).toEqual(["a", "b"]);
});
