import { expect, test } from "vitest";
import { systemTimers } from "../../platform/timers.ts";
import type { OverdueRequest, OverdueSlice } from "../../storage/store.ts";
import { countWaiting } from "./count-waiting.ts";

const now = 1_000_000;

async function count(slices: readonly Omit<OverdueSlice, "reached">[]) {
  const asked: OverdueRequest[] = [];
  const known: (readonly [pending: number, slices: number])[] = [];
  const found = await countWaiting({
    store: {
      clock: { now: () => now },
      counts: async () => ({ pending: 9 }),
      async countOverdue(request) {
        asked.push(request);
        const reached = asked.length < slices.length ? String(asked.length) : null;
        return { ...slices[asked.length - 1]!, reached };
      },
    },
    clock: { monotonic: () => 0 },
    timers: systemTimers,
    knowPending: (pending) => void known.push([pending, asked.length]),
  });
  // Before the first slice.
  expect(known).toEqual([[9, 0]]);
  return { asked, found };
}

test("slices are added up, and the oldest of all counts", async () => {
  const { asked, found } = await count([
    { count: 2, oldestDueAt: now - 5_000 },
    { count: 0, oldestDueAt: null },
    { count: 1, oldestDueAt: now - 60_000 },
  ]);
  expect(found).toEqual({ pending: 9, overdue: 3, oldestOverdueMs: 60_000 });
  expect(asked.map(({ until, after }) => [until, after])).toEqual([
    [now, null],
    [now, "1"],
    [now, "2"],
  ]);
});

test("without overdue messages the oldest has no age", async () => {
  const { found } = await count([{ count: 0, oldestDueAt: null }]);
  expect(found).toEqual({ pending: 9, overdue: 0, oldestOverdueMs: 0 });
});

test("with enough counted, only the first message of each further target is looked at", async () => {
  const { asked } = await count([
    { count: 60_000, oldestDueAt: 1 },
    { count: 60_000, oldestDueAt: 1 },
    { count: 1, oldestDueAt: 0 },
  ]);
  expect(asked.map(({ mostOfOne }) => mostOfOne)).toEqual([100_000, 40_000, 1]);
});
