import { beforeEach, expect, test } from "vitest";
import { LoadWatch } from "./load-watch.ts";

let now: number;
let wake: () => void;
let usedBytes: number;
let watch: LoadWatch;

/** Lets the next look come this much too late. */
function look(delayMs: number): string | null {
  now += 250 + delayMs;
  wake();
  return watch.strain;
}

beforeEach(() => {
  now = 1_000;
  usedBytes = 0;
  watch = new LoadWatch({
    clock: { monotonic: () => now },
    timers: {
      after(_delayMs, callback) {
        wake = callback;
        return { cancel: () => (wake = () => {}) };
      },
    },
    readHeap: () => ({ usedBytes, limitBytes: 1_000 }),
    maxLoopDelayMs: 500,
  });
  watch.start();
});

test("one hiccup is no strain, however long", () => {
  expect([look(0), look(30_000), look(0), look(499), look(499), look(600)]).toEqual([
    ...[null, null, null, null, null, null],
  ]);
});

test("late twice in a row is, until it was on time three times in a row", () => {
  expect([look(500), look(500)]).toEqual([null, "event-loop"]);
  expect([look(0), look(0), look(100), look(0), look(99)]).toEqual(Array(5).fill("event-loop"));
  expect([look(0), look(500)]).toEqual([null, null]);
});

test("a heap at nine tenths is, until a fifth of it is free", () => {
  const fill = (bytes: number) => {
    usedBytes = bytes;
    return look(0);
  };
  expect([fill(899), fill(900), fill(801), fill(799), fill(899)]).toEqual([
    ...[null, "memory", "memory", null, null],
  ]);
});

test("what is stopped looks no more", () => {
  look(500);
  watch.stop();
  expect(look(500)).toBeNull();
});
