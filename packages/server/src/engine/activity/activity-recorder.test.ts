import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { viewActivity } from "../../domain/activity.ts";
import type { ActivityAddition } from "../../domain/activity.ts";
import { StoreUnavailable } from "../../storage/store.ts";
import type { AttemptEvent } from "../delivery/delivery-observer.ts";
import { ActivityRecorder } from "./activity-recorder.ts";

const noon = Date.UTC(2026, 10, 18, 12);
const minute = 60_000;

/** A recorder in a time that the test lets pass, and what it adds to its store. */
function scene({ writeMs = 0 } = {}) {
  let now = 0;
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
  const after = (delayMs: number, callback: () => void) => {
    const timer = { at: now + Math.max(0, delayMs), callback };
    timers.push(timer);
    return { cancel: () => void (timers = timers.filter((other) => other !== timer)) };
  };
  const calls: { readonly at: number; readonly additions: readonly ActivityAddition[] }[] = [];
  const trouble: { store?: Error } = {};
  let lost = 0;
  let troubles = 0;
  const recorder = new ActivityRecorder({
    store: {
      async addActivity(additions) {
        calls.push({ at: now, additions });
        now += writeMs;
        if (trouble.store !== undefined) throw trouble.store;
      },
    },
    clock: { monotonic: () => now },
    timers: { after },
    observer: {
      activityLost: (attempts) => (lost += attempts),
      trouble: () => troubles++,
    },
  });
  return {
    recorder,
    calls,
    trouble,
    lost: () => lost,
    troubles: () => troubles,
    additions: () => calls.flatMap(({ additions }) => additions),
    attempt: (targetKey: number, change: { endTime?: number; accountId?: string } = {}) =>
      recorder.attemptEnded(eventOf(targetKey, change)),
    async pass(ms: number): Promise<void> {
      const until = now + ms;
      for (;;) {
        await nextTurn();
        const [next] = timers.toSorted((one, other) => one.at - other.at);
        if (next === undefined || next.at > until) break;
        timers = timers.filter((timer) => timer !== next);
        now = Math.max(now, next.at);
        next.callback();
      }
      now = Math.max(now, until);
    },
  };
}

function eventOf(targetKey: number, { endTime = noon, accountId = "a" }): AttemptEvent {
  return {
    ...{ accountId, targetKey, targetId: "t", messageId: "m", latenessMs: 3, payloadLength: 1 },
    ...{ became: "DELIVERED", retryDelayMs: null },
    attempt: {
      ...{ number: 1, startTime: endTime - 7, endTime, outcome: "DELIVERED" },
      ...{ statusCode: 200, error: null, response: null },
    },
  };
}

const attemptsIn = ({ counts }: ActivityAddition): number => viewActivity(counts).attempts;

test("attempts become one row for each target and minute, and sums for the hour and the account", async () => {
  const { attempt, additions, pass, recorder } = scene();
  attempt(1);
  attempt(1, { endTime: noon + 59_999 });
  attempt(1, { endTime: noon + minute });
  attempt(2);
  expect(additions()).toEqual([]);
  await pass(10_000);
  const rows = additions().map((row) => [
    row.targetKey,
    row.span,
    row.time - noon,
    attemptsIn(row),
  ]);
  expect(rows).toHaveLength(8);
  expect(rows).toEqual(
    expect.arrayContaining([
      [null, "minute", 0, 3],
      [null, "minute", minute, 1],
      [null, "hour", 0, 4],
      [1, "minute", 0, 2],
      [1, "minute", minute, 1],
      [1, "hour", 0, 3],
      [2, "minute", 0, 1],
      [2, "hour", 0, 1],
    ]),
  );
  await recorder.stop();
});

test("nothing is written without attempts, and everything at the stop", async () => {
  const { attempt, calls, pass, recorder, additions } = scene();
  await pass(600_000);
  expect(calls).toEqual([]);
  attempt(1);
  await recorder.stop();
  expect(additions()).toHaveLength(4);
});

test("many targets are written a few at a time, with rests, and less often", async () => {
  const { attempt, calls, pass, recorder } = scene({ writeMs: 5 });
  for (let key = 1; key <= 4_000; key++) attempt(key);
  await pass(12_000);
  const written = calls.length;
  expect(written).toBe(Math.ceil(4_001 / 50));
  expect(calls[1]!.at - calls[0]!.at).toBe(10);
  attempt(1);
  await pass(20_000);
  expect(calls).toHaveLength(written);
  await pass(5_000);
  expect(calls).toHaveLength(written + 1);
  await recorder.stop();
});

test("with too many targets at once, further ones count for their account alone", async () => {
  const { attempt, additions, lost, recorder } = scene();
  for (let key = 1; key <= 20_500; key++) attempt(key);
  expect(lost()).toBe(501);
  await recorder.stop();
  const minutes = additions().filter(({ span }) => span === "minute");
  expect(minutes).toHaveLength(20_000);
  expect(attemptsIn(minutes.find(({ targetKey }) => targetKey === null)!)).toBe(20_500);
});

test("what a store may have kept is not written again", async () => {
  const { attempt, calls, lost, troubles, trouble, pass, recorder } = scene();
  trouble.store = new StoreUnavailable("gone");
  for (let key = 1; key <= 120; key++) attempt(key);
  await pass(60_000);
  expect([calls.length, lost(), troubles()]).toEqual([1, 120, 1]);
  delete trouble.store;
  attempt(1);
  await pass(60_000);
  expect(calls).toHaveLength(2);
  expect(attemptsIn(calls[1]!.additions[0]!)).toBe(1);
  await recorder.stop();
});
