import { expect, test } from "vitest";
import { WatchedMemberships } from "./watched-memberships.ts";

function play() {
  let time = 0;
  const watched = new WatchedMemberships({ monotonic: () => time });
  return {
    watched,
    /** Looks after this time. */
    look(afterMs: number, ...living: readonly (readonly [epoch: number, version: string])[]) {
      time += afterMs;
      const silent = watched.silent().map(({ epoch }) => epoch);
      watched.note(living.map(([epoch, version]) => ({ epoch, version, leaseMs: 10_000 })));
      return silent;
    },
  };
}

test("a membership is silent once it was seen unchanged for its lease, of which a tenth is left", () => {
  const { look } = play();
  expect(look(0, [1, "a"], [2, "a"])).toEqual([]);
  expect(look(8_000, [1, "a"], [2, "b"])).toEqual([]);
  expect(look(999, [1, "a"], [2, "b"])).toEqual([]);
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

test("a membership that is gone is forgotten", () => {
  const { look } = play();
  look(0, [1, "a"]);
  look(9_000);
  expect(look(0, [1, "a"])).toEqual([]);
  expect(look(8_999)).toEqual([]);
});

test("each membership has its own lease", () => {
  let time = 0;
  const watched = new WatchedMemberships({ monotonic: () => time });
  watched.note([
    { epoch: 1, version: "a", leaseMs: 3_000 },
    { epoch: 2, version: "a", leaseMs: 30_000 },
  ]);
  time = 10_000;
  expect(watched.silent()).toEqual([{ epoch: 1, version: "a" }]);
});
