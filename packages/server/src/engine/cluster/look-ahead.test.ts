import { expect, test } from "vitest";
import type {
  DuePosition,
  DueWindow,
  TargetWindow,
  Upcoming,
  UpcomingByTarget,
} from "../../storage/store.ts";
import { LookAhead } from "./look-ahead.ts";

interface Entry {
  readonly time: number;
  readonly targetKey: number;
}

/** A time line that the test fills, and timers that the test fires. */
function timeLine(start: number, reliedUpon = false, walkMs = 0) {
  let now = start;
  const entries: Entry[] = [];
  const found: Entry[] = [];
  const pauses: number[] = [];
  let looksDone = 0;
  let looks: DueWindow[] = [];
  const walks: TargetWindow[] = [];
  let wake = (): void => {};
  const isBehind = (entry: Entry, position: DuePosition | null): boolean =>
    position === null ||
    entry.time > position.time ||
    (entry.time === position.time && entry.targetKey > position.targetKey);
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
  const upcomingByTarget = async (window: TargetWindow): Promise<UpcomingByTarget> => {
    walks.push(window);
    now += walkMs;
    const { after, until, limit } = window;
    const firsts = Map.groupBy(entries, ({ targetKey }) => targetKey);
    const keys = [...firsts.keys()].filter((key) => key > (after ?? 0)).toSorted((a, b) => a - b);
    const looked = keys.slice(0, limit);
    const targets = looked
      .map((targetKey) => ({
        accountId: "acc",
        targetKey,
        revision: 1,
        dueAt: firsts.get(targetKey)!.reduce((dueAt, { time }) => Math.min(dueAt, time), Infinity),
      }))
      .filter(({ dueAt }) => dueAt <= until);
    return { targets, reached: looked.length < limit ? null : looked.at(-1)! };
  };
  const lookAhead = new LookAhead({
    store: {
      upcoming,
      upcomingByTarget,
      clock: { now: () => now },
      sharing: { leaseMs: 1, credentialMs: 1 },
    },
    timers: {
      after: (delayMs, run) => {
        pauses.push(delayMs);
        wake = run;
        return { cancel: () => {} };
      },
    },
    observer: {
      lookedAhead: () => void looksDone++,
      trouble: (error) => {
        throw error;
      },
    },
    reliedUpon: () => reliedUpon,
    bounds: { mostEntries: 5_000 },
    found: ({ targetKey, dueAt }) => void found.push({ targetKey, time: dueAt }),
  });
  return {
    entries,
    found,
    pauses,
    walks,
    lookAhead,
    looksDone: () => looksDone,
    /** Runs one look and returns the windows that it asked for. */
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

test("one look usually finds everything that is overdue or due soon", async () => {
  const line = timeLine(now);
  line.entries.push({ time: 5, targetKey: 1 }, { time: now + 1_900, targetKey: 2 });
  line.entries.push({ time: now + 60_000, targetKey: 3 });
  await line.lookAhead.start();
  expect(line.found.map(({ targetKey }) => targetKey)).toEqual([1, 2]);
  line.entries.push({ time: 4, targetKey: 4 });
  expect(await line.look()).toHaveLength(1);
  expect(line.looksDone()).toBe(2);
  expect(line.found.at(-3)?.targetKey).toBe(4);
});

test("with a backlog, one look still finds overdue messages and messages due now", async () => {
  const line = timeLine(now);
  for (let index = 0; index < 12_000; index++) line.entries.push({ time: index, targetKey: 1 });
  line.entries.push({ time: 11_000, targetKey: 2 }, { time: now + 100, targetKey: 3 });
  await line.lookAhead.start();
  const targets = (): Set<number> => new Set(line.found.map(({ targetKey }) => targetKey));
  expect(targets()).toEqual(new Set([1, 2, 3]));
  line.found.length = 0;
  line.entries.push({ time: 1, targetKey: 9 });
  const windows = await line.look();
  expect(targets()).toContain(9);
  // The first part of the backlog, and what is due about now.
  expect(windows.map(({ limit }) => limit)).toEqual([5_000, 5_000]);
});

test("the first look walks through all targets, later looks through a part at a time", async () => {
  const line = timeLine(now);
  for (let targetKey = 1; targetKey <= 12_000; targetKey++) {
    line.entries.push({ time: targetKey, targetKey });
  }
  await line.lookAhead.start();
  expect(new Set(line.found.map(({ targetKey }) => targetKey)).size).toBe(12_000);
  expect(line.walks.map(({ after }) => after)).toEqual([null, 5_000, 10_000]);
  line.walks.length = 0;
  for (let looks = 0; looks < 4; looks++) await line.look();
  expect(line.walks.map(({ after }) => after)).toEqual([null, 5_000, 10_000, null]);
});

test("a node looks more often when other nodes only accept messages", async () => {
  const [alone, relied] = [timeLine(now), timeLine(now, true)];
  await Promise.all([alone.lookAhead.start(), relied.lookAhead.start()]);
  expect([alone.pauses, relied.pauses]).toEqual([[500], [50]]);
});

test("a node that others rely on walks on soon, and rests four times as long as a walk takes", async () => {
  const walksIn = async (walkMs: number): Promise<number> => {
    const line = timeLine(now, true, walkMs);
    for (let index = 0; index < 30_000; index++) line.entries.push({ time: index, targetKey: 1 });
    await line.lookAhead.start();
    for (let looks = 0; looks < 10; looks++) await line.look(50);
    return line.walks.length - 1;
  };
  expect(await walksIn(0)).toBe(10);
  expect(await walksIn(25)).toBe(5);
  expect(await walksIn(1_000)).toBe(1);
});

test("a node that no other relies on walks through a backlog every half second", async () => {
  const line = timeLine(now);
  for (let index = 0; index < 30_000; index++) line.entries.push({ time: index, targetKey: 1 });
  await line.lookAhead.start();
  for (let looks = 0; looks < 10; looks++) await line.look(50);
  expect(line.walks).toHaveLength(2);
});

test("a clock that was set back does not delay the walk through a backlog", async () => {
  const line = timeLine(now);
  for (let index = 0; index < 30_000; index++) line.entries.push({ time: index, targetKey: 1 });
  await line.lookAhead.start();
  await line.look(50);
  const before = line.walks.length;
  await line.look(-600_000);
  expect(line.walks).toHaveLength(before + 1);
});
