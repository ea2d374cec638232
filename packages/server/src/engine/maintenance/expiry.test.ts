import { expect, test } from "vitest";
import { handTimers } from "../../platform/testing/hand-timers.ts";
import { Expiry } from "./expiry.ts";

test("what is over is removed in batches, and then when the next of it is", async () => {
  const { timers, delays, goOff } = handTimers();
  const sweeps = [
    { removed: 500, nextExpiry: 0 },
    { removed: 3, nextExpiry: 130_000 },
    { removed: 0, nextExpiry: 30_000 },
    { removed: 0, nextExpiry: 20_001 },
    { removed: 0, nextExpiry: null },
  ];
  const asked: number[] = [];
  const expiry = new Expiry({
    async remove(limit) {
      asked.push(limit);
      return sweeps.shift()!;
    },
    doing: "removing what is over",
    clock: { now: () => 20_000 },
    timers,
    observer: { trouble() {} },
  });
  await expiry.start();
  const rests: number[] = [];
  for (let count = 0; count < 5; count++) {
    await goOff();
    rests.push(...delays());
  }
  expect(rests).toEqual([0, 60_000, 10_000, 1_000, 60_000]);
  expect(asked).toEqual(Array.from({ length: 5 }, () => 500));
  await expiry.stop();
  expect(delays()).toEqual([]);
});

test("a sweep that fails is told of, and the next one comes soon", async () => {
  const { timers, delays, goOff } = handTimers();
  const told: unknown[] = [];
  const trouble = new Error("the disk is full");
  const expiry = new Expiry({
    remove: () => Promise.reject(trouble),
    doing: "removing what is over",
    clock: { now: () => 0 },
    timers,
    observer: { trouble: (...what) => void told.push(what) },
  });
  await expiry.start();
  await goOff();
  expect(told).toEqual([[trouble, "removing what is over"]]);
  expect(delays()).toEqual([100]);
  await expiry.stop();
});
