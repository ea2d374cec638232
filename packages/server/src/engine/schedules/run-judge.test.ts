import { expect, test } from "vitest";
import { StoreUnavailable } from "../../storage/store.ts";
import type { ScheduleRef } from "../../storage/schedule-store.ts";
import type { Holder } from "../../storage/store.ts";
import { playedTime } from "../testing/played-time.ts";
import { RunJudge } from "./run-judge.ts";

/** A judge on a store with so many runs to judge. */
function play() {
  const time = playedTime();
  const heard: string[] = [];
  const looks: number[] = [];
  const membership: { holder: Holder | undefined } = { holder: { nodeId: "n", epoch: 1 } };
  const store = { looked: 0, paused: [] as ScheduleRef[], trouble: undefined as Error | undefined };
  const judge = new RunJudge({
    store: {
      async judgeRuns() {
        looks.push(time.now());
        if (store.trouble !== undefined) throw store.trouble;
        return { looked: store.looked, paused: store.paused };
      },
    },
    membership,
    timers: time,
    observer: {
      schedulesPaused: (all) =>
        void heard.push(`paused ${all.map(({ scheduleId }) => scheduleId).join(" ")}`),
      trouble: (error, doing) => void heard.push(`${(error as Error).message} while ${doing}`),
    },
  });
  return { judge, heard, looks, store, membership, time, pass: time.pass };
}

test("it looks every five seconds while there is anything to judge, and seldom otherwise", async () => {
  const { judge, looks, store, pass } = play();
  store.looked = 1;
  await judge.start();
  await pass(16_000);
  expect(looks).toEqual([5_000, 10_000, 15_000]);
  store.looked = 0;
  await pass(70_000);
  expect(looks.slice(3)).toEqual([20_000, 50_000, 80_000]);
  judge.noteRuns();
  judge.noteRuns();
  await pass(5_000);
  expect(looks.slice(6)).toEqual([91_000]);
  await judge.stop();
});

test("it looks again soon while its limit ends the look", async () => {
  const { judge, looks, store, pass } = play();
  store.looked = 1_000;
  await judge.start();
  await pass(6_100);
  expect(looks).toEqual([5_000, 5_500, 6_000]);
  await judge.stop();
});

test("the observer hears of schedules that were paused", async () => {
  const { judge, heard, store, pass } = play();
  store.paused = [{ accountId: "a", scheduleId: "s" }];
  await judge.start();
  await pass(5_000);
  expect(heard).toEqual(["paused s"]);
  await judge.stop();
});

test("while the store is away it is asked again after growing pauses, and each failure is told", async () => {
  const { judge, looks, heard, store, pass } = play();
  store.trouble = new StoreUnavailable("away");
  await judge.start();
  await pass(60_000);
  expect(looks.length).toBeLessThan(20);
  expect(heard).toEqual(looks.map(() => "away while judging the runs of schedules"));
  await judge.stop();
});

test("without a membership it asks nothing", async () => {
  const { judge, looks, membership, pass } = play();
  membership.holder = undefined;
  await judge.start();
  await pass(60_000);
  expect(looks).toEqual([]);
  await judge.stop();
});

test("a stopped judge begins nothing more, and one that was never started can be stopped", async () => {
  const { judge, looks, store, time, pass } = play();
  judge.noteRuns();
  await judge.stop();
  expect(time.waiting()).toBe(0);
  const other = play();
  store.looked = 1;
  await other.judge.start();
  await other.judge.stop();
  other.judge.noteRuns();
  await other.pass(60_000);
  await pass(60_000);
  expect([looks, other.looks]).toEqual([[], []]);
});
