import { expect, test } from "vitest";
import { StoreUnavailable } from "../../storage/store.ts";
import type { AdvancedSchedules } from "../../storage/schedule-store.ts";
import type { Holder } from "../../storage/store.ts";
import { playedTime } from "../testing/played-time.ts";
import { ScheduleRunner } from "./schedule-runner.ts";

const shared = { leaseMs: 10_000, credentialMs: 100 };
const hour = 3_600_000;

type Made = Partial<Omit<AdvancedSchedules, "now">> & { readonly tookMs?: number };

/** A runner on a store that answers with what the test says, in a time that the test lets pass. */
function play(answer: (look: number) => Made, sharing: typeof shared | null = shared) {
  const time = playedTime();
  const heard: string[] = [];
  const known: (number | null)[] = [];
  const looks: number[] = [];
  const clock = { offMs: 0 };
  const membership: { holder: Holder | undefined } = { holder: { nodeId: "n", epoch: 1 } };
  const storeNow = () => time.now() + clock.offMs;
  let trouble: Error | undefined;
  const runner = new ScheduleRunner({
    store: {
      sharing,
      clock: { now: storeNow },
      async advanceSchedules(): Promise<AdvancedSchedules> {
        looks.push(time.now());
        if (trouble !== undefined) throw trouble;
        const { tookMs = 0, ...made } = answer(looks.length);
        await time.pause(tookMs);
        const runs = { CREATED: 0, SKIPPED: 0, MISSED: 0 };
        const nothing = { advanced: 0, runs, planned: [], nextBound: null };
        return { ...nothing, nextLookTime: null, ...made, now: storeNow() };
      },
    },
    membership,
    delivery: {
      noteDue: (...due) => void heard.push(`due ${due.join(" ")}`),
      noteBound: (notAfter) => void heard.push(`bound ${notAfter}`),
    },
    clock: { monotonic: () => time.now() },
    timers: time,
    observer: {
      schedulesAdvanced: ({ advanced }) => void heard.push(`advanced ${advanced}`),
      nextScheduleKnown: (inMs) => {
        known.push(inMs);
        if (inMs !== null && inMs < 0) heard.push(`late by ${-inMs}`);
      },
      trouble: (error, doing) => void heard.push(`${(error as Error).message} while ${doing}`),
    },
    onRunsMade: () => void heard.push("runs"),
  });
  const fail = (error?: Error) => void (trouble = error);
  return { runner, heard, known, looks, clock, membership, fail, time, pass: time.pass };
}

test("alone on its store it looks when the next schedule is due, and not before", async () => {
  const { runner, looks, pass } = play(
    (look) => ({ nextLookTime: look === 1 ? hour : null }),
    null,
  );
  await runner.start();
  await pass(3 * hour);
  expect(looks).toEqual([0, hour]);
  await runner.stop();
});

test("alone on a store without schedules it looks once, and no timer waits", async () => {
  const { runner, looks, time, pass } = play(() => ({}), null);
  await runner.start();
  await pass(hour);
  expect([looks, time.waiting()]).toEqual([[0], 0]);
  await runner.stop();
});

test("a clock that is set forward is noticed within seconds", async () => {
  const { runner, looks, clock, pass } = play(
    (look) => ({ nextLookTime: look === 1 ? 24 * hour : null }),
    null,
  );
  await runner.start();
  await pass(hour);
  clock.offMs = 24 * hour;
  await pass(5_000);
  expect(looks).toHaveLength(2);
  await runner.stop();
});

test("on a shared store it looks every second, and earlier if the next schedule is due earlier", async () => {
  const { runner, looks, pass } = play((look) => ({
    nextLookTime: look === 2 ? 1_300 : 24 * hour,
  }));
  await runner.start();
  await pass(3_500);
  expect(looks).toEqual([0, 1_000, 1_300, 2_300, 3_300]);
  await runner.stop();
});

test("schedules that are stored together are learned of together", async () => {
  const { runner, looks, pass } = play(() => ({ nextLookTime: hour }), null);
  await runner.start();
  await pass(1_000);
  for (let count = 0; count < 100; count++) runner.noteSchedule();
  await pass(1_000);
  expect(looks).toEqual([0, 1_050]);
  await runner.stop();
});

test("a hint during a look is not lost", async () => {
  const { runner, looks, pass } = play(
    (look) => ({ tookMs: 20, nextLookTime: look === 1 ? 24 * hour : 2 * hour }),
    null,
  );
  await runner.start();
  await pass(10);
  runner.noteSchedule();
  await pass(hour);
  expect(looks).toEqual([0, 70]);
  await pass(hour + 100);
  expect(looks.at(2)).toBe(2 * hour);
  await runner.stop();
});

test("while the limit ends its looks it looks again at once, and rests a while after a long one", async () => {
  const { runner, looks, heard, pass } = play((look) => {
    if (look === 1) return { advanced: 1_000, nextLookTime: -7, tookMs: 10 };
    if (look === 2) return { advanced: 1_000, nextLookTime: -7, tookMs: 80 };
    return { advanced: 10, nextLookTime: hour };
  }, null);
  await runner.start();
  await pass(1_000);
  expect(looks).toEqual([0, 10, 110]);
  expect(heard).toEqual([
    "advanced 1000",
    "late by 17",
    "advanced 1000",
    "late by 97",
    "advanced 10",
  ]);
  await runner.stop();
});

test("after a look that a freeze of the machine has made very long it rests for a second at most", async () => {
  const { runner, looks, pass } = play((look) => ({ tookMs: look === 1 ? 60_000 : 0 }));
  await runner.start();
  await pass(62_000);
  // It looks again a second after its rest.
  expect(looks).toEqual([0, 62_000]);
  await runner.stop();
});

test("what it may not do is no reason to ask again and again", async () => {
  const { runner, looks, pass } = play(() => ({ advanced: 0, nextLookTime: -1 }));
  await runner.start();
  await pass(60_000);
  expect(looks.length).toBeGreaterThan(55);
  expect(looks.length).toBeLessThan(70);
  await runner.stop();
});

test("the delivery hears of planned targets, and the judge of runs", async () => {
  const { runner, heard, pass } = play(() => ({
    advanced: 2,
    runs: { CREATED: 1, SKIPPED: 1, MISSED: 0 },
    planned: [
      { accountId: "a", targetKey: 7, dueAt: 70 },
      { accountId: "b", targetKey: 8, dueAt: 80 },
    ],
    nextBound: 90,
    nextLookTime: hour,
  }));
  await runner.start();
  await pass(10);
  expect(heard).toEqual(["due a 7 70", "due b 8 80", "bound 90", "advanced 2", "runs"]);
  await runner.stop();
});

test("without a membership it asks nothing, and goes on with a new one", async () => {
  const { runner, looks, membership, pass } = play(() => ({ nextLookTime: hour }));
  membership.holder = undefined;
  await runner.start();
  await pass(10_000);
  expect(looks).toEqual([]);
  membership.holder = { nodeId: "n", epoch: 2 };
  runner.noteSchedule();
  await pass(100);
  expect(looks).toHaveLength(1);
  await runner.stop();
});

test("while the store is away it is asked again after growing pauses, and each failure is told", async () => {
  const { runner, looks, heard, known, fail, pass } = play(() => ({
    nextLookTime: 9 * hour,
    advanced: 1,
  }));
  fail(new StoreUnavailable("away"));
  await runner.start();
  await pass(60_000);
  expect(looks.length).toBeLessThan(20);
  expect(heard).toEqual(looks.map(() => "away while making the runs of schedules"));
  // For all it knows, something has been due since it started.
  expect(known).toEqual([0]);
  fail();
  await pass(5_000);
  expect(heard.at(-1)).toBe("advanced 1");
  await runner.stop();
});

test("a stop lets the look under way end, and begins nothing more", async () => {
  const { runner, looks, time, pass } = play(() => ({
    advanced: 1_000,
    nextLookTime: -1,
    tookMs: 200,
  }));
  await runner.start();
  await pass(100);
  let isStopped = false;
  const stopped = runner.stop().then(() => (isStopped = true));
  runner.noteSchedule();
  await pass(50);
  expect(isStopped).toBe(false);
  await pass(50);
  await stopped;
  await pass(60_000);
  expect([looks, time.waiting()]).toEqual([[0], 0]);
});

test("a runner that has not been started can be told and stopped", async () => {
  const { runner, looks, pass } = play(() => ({}));
  runner.noteSchedule();
  await pass(10_000);
  await runner.stop();
  expect(looks).toEqual([]);
});
