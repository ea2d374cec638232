import { expect, test } from "vitest";
import { WatchedMemberships } from "./watched-memberships.ts";

const leaseMs = 10_000;

type Seen = readonly [epoch: number, version: string, silentMs?: number];

function play() {
  let time = 0;
  const watched = new WatchedMemberships({ monotonic: () => time });
  const note = (...living: readonly Seen[]) =>
    watched.note(
      living.map(([epoch, version, silentMs = 0]) => ({ epoch, version, leaseMs, silentMs })),
    );
  return {
    ...{ watched, note },
    pass: (ms: number) => void (time += ms),
    /** Looks after this time. */
    look(afterMs: number, ...living: readonly Seen[]) {
      time += afterMs;
      const over = watched.over().map(({ epoch }) => epoch);
      note(...living);
      return over;
    },
  };
}

test("a membership is over once it was seen unchanged for its lease", () => {
  const { look } = play();
  expect(look(0, [1, "a"], [2, "a"])).toEqual([]);
  expect(look(8_000, [1, "a"], [2, "b"])).toEqual([]);
  expect(look(1_999, [1, "a"], [2, "b"])).toEqual([]);
  expect(look(1, [2, "b"])).toEqual([1]);
  expect(look(7_999, [2, "b"])).toEqual([]);
  expect(look(1, [2, "b"])).toEqual([2]);
});

test("a node that has slept ends nothing that it has not seen before", () => {
  const { look } = play();
  expect(look(0, [1, "a"])).toEqual([]);
  // What it names is as it was before it slept; the store ends only what still is.
  expect(look(60_000, [1, "b"], [2, "a"])).toEqual([1]);
  expect(look(2_500, [1, "b"], [2, "a"])).toEqual([]);
});

test("a membership that is gone is forgotten, and told of once", () => {
  const { note, look, pass } = play();
  expect(note([1, "a"], [2, "a"])).toBe(false);
  pass(9_000);
  expect(note([2, "b"])).toBe(true);
  expect(note([2, "b"])).toBe(false);
  expect(look(0, [1, "a"], [2, "b"])).toEqual([]);
  expect(look(9_999, [1, "a"], [2, "b"])).toEqual([]);
});

test("each membership has its own lease", () => {
  const { watched, pass } = play();
  watched.note([
    { epoch: 1, version: "a", leaseMs: 3_000, silentMs: 0 },
    { epoch: 2, version: "a", leaseMs: 30_000, silentMs: 0 },
  ]);
  expect(watched.nextOverMs()).toBe(3_000);
  pass(10_000);
  expect(watched.over()).toEqual([{ epoch: 1, version: "a" }]);
  expect(watched.nextOverMs()).toBe(0);
});

test("a silence that others have seen counts, for the renewal that they saw", () => {
  const { watched, note, pass } = play();
  note([1, "a", 7_000], [2, "a", 0]);
  expect(watched.nextOverMs()).toBe(3_000);
  pass(2_999);
  note([1, "a", 0], [2, "a", 0]);
  expect(watched.over()).toEqual([]);
  pass(1);
  expect(watched.over()).toEqual([{ epoch: 1, version: "a" }]);
  note([1, "b", 0], [2, "a", 0]);
  expect(watched.over()).toEqual([]);
});

test("what a living node would have renewed is quiet", () => {
  const { watched, note, pass } = play();
  expect(watched.nextOverMs()).toBe(null);
  note([2, "a"], [1, "a"]);
  pass(2_999);
  expect(watched.quiet()).toEqual([]);
  pass(2);
  expect(watched.quiet()).toEqual([
    { epoch: 1, version: "a", silentMs: 3_001 },
    { epoch: 2, version: "a", silentMs: 3_001 },
  ]);
});
