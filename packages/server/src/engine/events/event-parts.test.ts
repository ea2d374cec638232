import { expect, test } from "vitest";
import { handTimers } from "../../platform/testing/hand-timers.ts";
import type { LogSpan } from "../../storage/store.ts";
import { EventMover } from "./event-mover.ts";
import { LogWatch } from "./reading/log-watch.ts";

const shared = { leaseMs: 1, credentialMs: 1 };

test("the mover goes on at once after a full batch, soon while events come, and rests when none do", async () => {
  const { timers, delays, goOff } = handTimers();
  const batches = [
    { moved: 1_000, waitedMs: 700 },
    { moved: 1_000, waitedMs: 400 },
    { moved: 12, waitedMs: 50 },
    // Another node moves what waits.
    { moved: 0, waitedMs: 30 },
    { moved: 0, waitedMs: null },
  ];
  const moved: number[] = [];
  const waited: (number | null)[] = [];
  let now = 0;
  const mover = new EventMover({
    store: { sharing: shared, moveEvents: async () => batches.shift()! },
    clock: { monotonic: () => now },
    timers,
    observer: {
      eventsMoved: (count) => void moved.push(count),
      eventsWaited: (ms) => void waited.push(ms),
      trouble() {},
    },
  });
  await mover.start();
  const rests: number[] = [];
  for (let count = 0; count < 4; count++) {
    await goOff();
    rests.push(...delays());
  }
  expect(rests).toEqual([0, 0, 50, 50]);
  now = 10_000;
  await goOff();
  expect(delays()).toEqual([250]);
  expect(moved).toEqual([1_000, 1_000, 12]);
  // Nothing is left behind a batch that is not full.
  expect(waited).toEqual([700, 400, 0, 30, 0]);
  await mover.stop();
  expect(delays()).toEqual([]);
});

test("the embedded store's log is never moved, and no event waits for that", async () => {
  const waited: (number | null)[] = [];
  const { timers, delays } = handTimers();
  const unused = async (): Promise<never> => {
    throw new Error("there is nothing to move");
  };
  const mover = new EventMover({
    store: { sharing: null, moveEvents: unused },
    clock: { monotonic: () => 0 },
    timers,
    observer: {
      eventsMoved() {},
      eventsWaited: (ms) => void waited.push(ms),
      trouble() {},
    },
  });
  await mover.start();
  expect(delays()).toEqual([]);
  expect(waited).toEqual([null]);
});

test("one look asks for all accounts that are watched, and there is none when nobody watches", async () => {
  const { timers, delays, goOff } = handTimers();
  const asked: (readonly string[])[] = [];
  let last = 1;
  const logs = new LogWatch({
    store: {
      sharing: null,
      async logSpans(accountIds) {
        asked.push(accountIds);
        return new Map(accountIds.map((accountId) => [accountId, { removedUpTo: 0, last }]));
      },
    },
    timers,
    observer: { trouble() {} },
  });
  const seen: LogSpan[] = [];
  const one = logs.watch("a", (span) => void seen.push(span));
  const two = logs.watch("b", () => {});
  await goOff();
  await goOff();
  expect(asked).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  last = 2;
  await goOff();
  expect(seen.map((span) => span.last)).toEqual([1, 2]);
  expect(delays()).toEqual([50]);
  one.close();
  two.close();
  await goOff();
  expect([asked.length, delays()]).toEqual([3, []]);
  await logs.stop();
});
