import { expect, test } from "vitest";
import { systemTimers } from "../../platform/timers.ts";
import { createRecentCounts } from "./recent-counts.ts";

const countsOf = (pending: number) => ({ pending, overdue: 1, oldestOverdueMs: 2 });

/** A store whose counts the test ends one by one, with a clock and timers that the test moves. */
function openCount() {
  let now = 0;
  const begun: {
    knowPending(pending: number): void;
    answer(pending: number): void;
    fail(): void;
  }[] = [];
  const due: (() => void)[] = [];
  const read = createRecentCounts({
    count: (knowPending) =>
      new Promise((resolve, reject) => {
        begun.push({
          knowPending,
          answer: (pending) => resolve(countsOf(pending)),
          fail: () => reject(new Error("away")),
        });
      }),
    clock: { monotonic: () => now },
    timers: {
      after: (delayMs, callback) => {
        if (delayMs <= 0) return systemTimers.after(0, callback);
        due.push(callback);
        return { cancel: () => void due.splice(due.indexOf(callback), 1) };
      },
    },
  });
  return {
    read,
    begun,
    pass: (ms: number) => void (now += ms),
    losePatience: () => due.splice(0).forEach((callback) => callback()),
  };
}

test("callers share one count, and later callers get it with its age", async () => {
  const { read, begun, pass } = openCount();
  const all = Array.from({ length: 100 }, () => read());
  await Promise.resolve();
  begun[0]!.answer(7);
  for (const each of await Promise.all(all)) expect(each).toEqual({ ...countsOf(7), ageMs: 0 });
  pass(9_000);
  expect(await read()).toEqual({ ...countsOf(7), ageMs: 9_000 });
  expect(begun).toHaveLength(1);
  pass(1_001);
  const later = read();
  await Promise.resolve();
  begun[1]!.answer(8);
  expect(await later).toEqual({ ...countsOf(8), ageMs: 0 });
});

test("a slow count is not awaited: callers get the last one, with its age", async () => {
  const { read, begun, pass, losePatience } = openCount();
  const first = read();
  losePatience();
  expect((await first).pending).toBeNaN();
  begun[0]!.answer(7);
  expect(await read()).toEqual({ ...countsOf(7), ageMs: 0 });
  pass(10_001);
  const second = read();
  await Promise.resolve();
  losePatience();
  expect(await second).toEqual({ ...countsOf(7), ageMs: 10_001 });
  expect(begun).toHaveLength(2);
});

test("pending messages do not wait for the count of overdue ones", async () => {
  const { read, begun, losePatience } = openCount();
  const first = read();
  await Promise.resolve();
  begun[0]!.knowPending(5);
  losePatience();
  const unknown = Number.NaN;
  expect(await first).toEqual({ pending: 5, overdue: unknown, oldestOverdueMs: unknown, ageMs: 0 });
  begun[0]!.answer(7);
  expect(await read()).toEqual({ ...countsOf(7), ageMs: 0 });
});

test("a count that the store has not renewed for a minute is not shown any more", async () => {
  const { read, begun, pass, losePatience } = openCount();
  const first = read();
  await Promise.resolve();
  begun[0]!.answer(7);
  expect((await first).pending).toBe(7);
  pass(60_000);
  const second = read();
  await Promise.resolve();
  losePatience();
  expect((await second).pending).toBe(7);
  pass(1);
  const third = read();
  await Promise.resolve();
  losePatience();
  expect((await third).pending).toBeNaN();
});

test("a store that failed is not asked again at once, and its count is NaN", async () => {
  const { read, begun } = openCount();
  const first = read();
  await Promise.resolve();
  begun[0]!.fail();
  expect((await first).pending).toBeNaN();
  expect((await read()).pending).toBeNaN();
  expect(begun).toHaveLength(1);
});
