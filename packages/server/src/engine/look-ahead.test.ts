import { expect, test } from "vitest";
import type { DuePlace, DueWindow, Upcoming } from "../storage/store.ts";
import { LookAhead } from "./look-ahead.ts";

interface Entry {
  readonly time: number;
  readonly targetKey: number;
}

/** A time line that a test fills, and timers that go off when the test says so. */
function timeLine(start: number, reliedUpon = false) {
  let now = start;
  const entries: Entry[] = [];
  const found: Entry[] = [];
  const pauses: number[] = [];
  let looks: DueWindow[] = [];
  let wake = (): void => {};
  const isBehind = (entry: Entry, place: DuePlace | null): boolean =>
    place === null ||
    entry.time > place.time ||
    (entry.time === place.time && entry.targetKey > place.targetKey);
  const upcoming = async (window: DueWindow): Promise<Upcoming> => {
    looks.push(window);
    const inside = entries
      .filter((entry) => isBehind(entry, window.after) && entry.time <= window.until)
      .toSorted((a, b) => a.time - b.time || a.targetKey - b.targetKey)
      .slice(0, window.limit);
    const targets = inside.map(({ targetKey, time }) => ({
      accountId: "acc",
      targetKey,
      revision: 1,
      dueAt: time,
    }));
    return { targets, reached: inside.length < window.limit ? null : inside.at(-1)! };
  };
  const lookAhead = new LookAhead({
    store: { upcoming, clock: { now: () => now }, sharing: { leaseMs: 1, credentialMs: 1 } },
    timers: {
      after: (delayMs, run) => {
        pauses.push(delayMs);
        wake = run;
        return { cancel: () => {} };
      },
    },
    observer: {
      attemptStarted: () => {},
      attemptEnded: () => {},
      inFlight: () => {},
      trouble: (error) => {
        throw error;
      },
    },
    reliedUpon: () => reliedUpon,
    found: ({ targetKey, dueAt }) => void found.push({ targetKey, time: dueAt }),
  });
  return {
    entries,
    found,
    pauses,
    lookAhead,
    /** The windows of one look. */
    async look(passedMs = 500): Promise<DueWindow[]> {
      looks = [];
      now += passedMs;
      const before = wake;
      wake();
      await expect.poll(() => wake !== before).toBe(true);
      return looks;
    },
  };
}

const now = 1_000_000;

test("usually one look takes in everything overdue and everything soon", async () => {
  const line = timeLine(now);
  line.entries.push({ time: 5, targetKey: 1 }, { time: now + 1_900, targetKey: 2 });
  line.entries.push({ time: now + 60_000, targetKey: 3 });
  await line.lookAhead.start();
  expect(line.found.map(({ targetKey }) => targetKey)).toEqual([1, 2]);
  line.entries.push({ time: 4, targetKey: 4 });
  expect(await line.look()).toHaveLength(1);
  expect(line.found.at(-3)?.targetKey).toBe(4);
});

test("behind a backlog, what is due now is seen in every look and what is hidden in one of the next", async () => {
  const line = timeLine(now);
  for (let index = 0; index < 12_000; index++) line.entries.push({ time: index, targetKey: 1 });
  line.entries.push({ time: 11_000, targetKey: 2 }, { time: now + 100, targetKey: 3 });
  await line.lookAhead.start();
  const targets = (): Set<number> => new Set(line.found.map(({ targetKey }) => targetKey));
  expect(targets()).toEqual(new Set([1, 3]));
  const read = (windows: readonly DueWindow[]): number =>
    windows.reduce((sum, { limit }) => sum + limit, 0);
  for (let looks = 0; looks < 2; looks++)
    expect(read(await line.look())).toBeLessThanOrEqual(10_000);
  expect(targets()).toEqual(new Set([1, 2, 3]));
  line.found.length = 0;
  line.entries.push({ time: 1, targetKey: 9 });
  for (let looks = 0; looks < 3; looks++) await line.look();
  expect(targets()).toContain(9);
});

test("a node looks more often where others only accept messages", async () => {
  const [alone, relied] = [timeLine(now), timeLine(now, true)];
  await Promise.all([alone.lookAhead.start(), relied.lookAhead.start()]);
  expect([alone.pauses, relied.pauses]).toEqual([[500], [50]]);
});

test("looking often does not walk through a backlog more often", async () => {
  const line = timeLine(now, true);
  for (let index = 0; index < 30_000; index++) line.entries.push({ time: index, targetKey: 1 });
  await line.lookAhead.start();
  const places = [];
  for (let looks = 0; looks < 11; looks++) places.push((await line.look(50)).length);
  expect(places).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1]);
});
