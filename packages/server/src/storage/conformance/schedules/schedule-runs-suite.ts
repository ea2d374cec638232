import { describe, expect, test } from "vitest";
import { defaultRetryPolicy } from "../../../domain/retry-policy.ts";
import { account, hour, otherAccount, refTo } from "../harness.ts";
import {
  at,
  every,
  hourly,
  madeRun,
  minute,
  noon,
  refOf,
  scheduleWorldsOf,
  second,
} from "./schedule-harness.ts";
import type { MakeClockedLocation } from "./schedule-harness.ts";

/** When the runs of a schedule are made, and what is made. */
export function scheduleRunsSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);
  const runTimes = (runs: readonly { readonly runTime: number }[]) =>
    runs.map(({ runTime }) => runTime).toReversed();

  describe("the time", () => {
    test("a run is made five seconds before its time, and not sooner", async () => {
      const world = await open();
      await world.create("a");
      await world.goTo(at(13) - 5 * second - 1);
      const early = await world.advanceOnce();
      expect(early).toEqual({
        ...{ advanced: 0, runs: { CREATED: 0, SKIPPED: 0, MISSED: 0 }, planned: [] },
        ...{ nextBound: null, nextLookTime: at(13) - 5 * second, now: world.now },
      });
      expect(await world.runs("a")).toEqual([]);
      await world.goTo(at(13) - 5 * second);
      const { targetKey } = world;
      expect(await world.advanceOnce()).toEqual({
        ...{ advanced: 1, runs: { CREATED: 1, SKIPPED: 0, MISSED: 0 } },
        planned: [{ accountId: account, targetKey, dueAt: at(13) }],
        ...{ nextBound: null, nextLookTime: at(14) - 5 * second, now: world.now },
      });
      expect(await world.runs("a")).toEqual([madeRun(at(13))]);
      expect(await world.schedule("a")).toMatchObject({ nextRunTime: at(14), revision: 1 });
    });

    test("the runs of the next seconds are made with the schedule", async () => {
      const world = await open();
      const definition = every(second);
      const result = await world.tryToCreate("a", definition);
      const { targetKey } = world;
      expect(result).toMatchObject({
        kind: "created",
        planned: [{ accountId: account, targetKey, dueAt: noon + second }],
        schedule: { nextRunTime: noon + 6 * second, lastRun: madeRun(noon + 5 * second) },
      });
      const times = [1, 2, 3, 4, 5].map((count) => noon + count * second);
      expect(runTimes(await world.runs("a"))).toEqual(times);
      const messages = await world.messages("a");
      expect(messages.map(({ nextDeliveryTime }) => nextDeliveryTime)).toEqual(times);
    });

    test("each run is made once, however often and by how many it is asked for", async () => {
      const world = await open();
      for (const id of ["a", "b", "c"]) await world.create(id);
      await world.goTo(at(13) - second);
      const answers = await Promise.all(Array.from({ length: 9 }, () => world.advanceOnce()));
      const sum = (counts: readonly number[]) => counts.reduce((one, other) => one + other);
      expect(sum(answers.map(({ advanced }) => advanced))).toBe(3);
      expect(sum(answers.map(({ runs }) => runs.CREATED))).toBe(3);
      await world.goTo(at(13));
      expect(await world.finish()).toHaveLength(3);
      expect(await world.advanceOnce()).toMatchObject({ advanced: 0 });
    });

    test("run times follow each other until the end time, which counts", async () => {
      const world = await open();
      await world.create("a", hourly({ endTime: at(15) }));
      await world.liveUntil(at(18));
      expect(runTimes(await world.runs("a"))).toEqual([at(13), at(14), at(15)]);
      expect(await world.schedule("a")).toMatchObject({ nextRunTime: null });
      expect(await world.advanceOnce()).toMatchObject({ nextLookTime: null });
    });

    test("after so many runs no further one is made", async () => {
      const world = await open();
      await world.create("a", hourly({ maxRuns: 2 }));
      await world.create("b", every(second, { maxRuns: 3 }));
      expect(runTimes(await world.runs("b"))).toHaveLength(3);
      expect(await world.schedule("b")).toMatchObject({ nextRunTime: null });
      await world.liveUntil(at(18));
      expect(runTimes(await world.runs("a"))).toEqual([at(13), at(14)]);
      expect(await world.runs("b")).toHaveLength(3);
      expect(await world.schedule("a")).toMatchObject({ nextRunTime: null });
    });

    test("an interval counts from the start time, or else from the creation", async () => {
      const world = await open();
      await world.create("a", every(25 * minute, { startTime: at(11, 30) }));
      await world.create("b", every(25 * minute, { startTime: at(12, 7) }));
      await world.create("c", every(25 * minute));
      await world.liveUntil(at(13, 10));
      expect(runTimes(await world.runs("a"))).toEqual([at(12, 20), at(12, 45), at(13, 10)]);
      expect(runTimes(await world.runs("b"))).toEqual([at(12, 7), at(12, 32), at(12, 57)]);
      expect(runTimes(await world.runs("c"))).toEqual([at(12, 25), at(12, 50)]);
    });

    test("local times of a list are read in the zone of the schedule", async () => {
      const world = await open();
      const times = ["2026-11-16T15:00", "2026-11-16T14:00", "2026-11-16T12:30"];
      await world.create("a", hourly({ cron: null, at: times, timeZone: "Europe/Berlin" }));
      await world.liveUntil(at(20));
      expect(runTimes(await world.runs("a"))).toEqual([at(13), at(14)]);
    });

    test("a window delays the delivery, by the same for everybody, and not past the next run", async () => {
      const world = await open();
      await world.create("a", hourly({ flexWindowMs: 10 * minute }));
      await world.create("b", every(minute, { flexWindowMs: hour, maxRuns: 30 }));
      await world.liveUntil(at(15));
      for (const scheduleId of ["a", "b"]) {
        const runs = (await world.runs(scheduleId)).toReversed();
        const messages = await world.messages(scheduleId);
        const delays = runs.map(({ runTime }, index) => {
          const { nextDeliveryTime, originalDeliveryTime } = messages[index]!;
          expect(nextDeliveryTime).toBe(originalDeliveryTime);
          return originalDeliveryTime - runTime;
        });
        expect(new Set(delays).size).toBeGreaterThan(1);
        expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...delays)).toBeLessThan(scheduleId === "a" ? 10 * minute + 1 : minute);
      }
      const [first] = await world.messages("a");
      const another = await open();
      await another.create("a", hourly({ flexWindowMs: 10 * minute }));
      await another.liveUntil(at(13));
      const [same] = await another.messages("a");
      expect(same!.originalDeliveryTime).toBe(first!.originalDeliveryTime);
    });
  });

  describe("the message", () => {
    test("has the target, the payload and the options of the schedule, and names it", async () => {
      const world = await open();
      const message = {
        labels: { team: "mail" },
        retryPolicy: defaultRetryPolicy,
        notAfterMs: minute,
        contentType: "text/plain",
        timeoutMs: 700,
        headers: { names: ["x-a"], sealed: "sealed" },
      };
      await world.create("a", hourly({ payload: "hello \u0000", message }));
      await world.goTo(at(13) - second);
      expect(await world.advanceOnce()).toMatchObject({ nextBound: at(13, 1) });
      const [made] = await world.messages("a");
      expect(made).toMatchObject({
        ...{ targetId: "t", state: "SCHEDULED", schedulingTime: world.now },
        ...{ originalDeliveryTime: at(13), nextDeliveryTime: at(13) },
        options: {
          ...{ ...message, notAfter: at(13, 1) },
          schedule: { scheduleId: "a", runTime: at(13) },
        },
      });
      expect(await world.store.getPayload(refTo(made!))).toBe("hello \u0000");
      await world.goTo(at(13));
      const [claim] = await world.claim();
      expect(claim).toMatchObject({ payload: "hello \u0000", options: made!.options });
    });

    test("is found by the id of its schedule", async () => {
      const world = await open();
      await world.create("a");
      await world.create("b");
      await world.liveUntil(at(14));
      const found = await world.store.findMessages({
        ...{ accountId: account, states: null, targetId: null, labels: ["@a"] },
        ...{ minTime: null, maxTime: null, order: "oldest", after: null, limit: 9 },
        idTimes: { from: null, until: null },
      });
      expect(found.messages).toEqual(await world.messages("a"));
      expect(found.messages).toHaveLength(2);
    });

    test("that no attempt could reach in time is not made, and its run says so", async () => {
      const world = await open();
      await world.create("a", hourly({ message: { notAfterMs: minute } }));
      await world.goTo(at(13, 30));
      await world.advance();
      expect(await world.runs("a")).toEqual([
        {
          ...{ runTime: at(13), trigger: "CATCH_UP", outcome: "SKIPPED", reason: "NOT_AFTER" },
          ...{ messageId: null, messageState: null },
        },
      ]);
      expect(await world.schedule("a")).toMatchObject({ nextRunTime: at(14) });
    });
  });

  describe("the list of runs", () => {
    test("has the newest first, in pages, and shows what became of the messages", async () => {
      const world = await open();
      await world.create("a");
      await world.create("b");
      await world.liveUntil(at(15, 30));
      const claims = await world.claim();
      const [first, next] = await world.messages("a");
      const of = ({ messageId }: { readonly messageId: string }) =>
        claims.filter((claim) => claim.messageId === messageId);
      await world.record(of(first!), "delivered");
      await world.record(of(next!), "dead");
      const runs = [
        madeRun(at(15)),
        madeRun(at(14), { messageState: "DEAD_LETTER" }),
        madeRun(at(13), { messageState: "DELIVERED" }),
      ];
      expect(await world.runs("a")).toEqual(runs);
      const page = (before: number | null, limit: number) =>
        world.store.listRuns({ ...refOf("a"), before, limit });
      expect(await page(null, 2)).toEqual(runs.slice(0, 2));
      expect(await page(at(14), 2)).toEqual(runs.slice(2));
      expect(await page(at(13), 2)).toEqual([]);
    });
  });

  describe("a call", () => {
    test("advances no more schedules than it is asked to, and says that there are more", async () => {
      const world = await open();
      for (const id of ["a", "b", "c", "d", "e"]) await world.create(id);
      await world.goTo(at(13));
      const steps = [];
      for (let more = true; more;) {
        const step = await world.advanceOnce(2);
        steps.push(step.advanced);
        more = step.nextLookTime! <= step.now;
      }
      expect(steps).toEqual([2, 2, 1]);
      expect(await world.finish()).toHaveLength(5);
    });

    test("of a membership that has ended makes nothing", async () => {
      const world = await open();
      await world.create("a");
      await world.goTo(at(13));
      const ended = world.holder;
      world.holder = await world.store.join("node", "all");
      expect(await world.advanceOnce(9, ended)).toMatchObject({ advanced: 0 });
      expect(await world.runs("a")).toEqual([]);
      expect(await world.advanceOnce(9)).toMatchObject({ advanced: 1 });
    });

    test("goes on after a restart where the last one ended", async () => {
      const world = await open();
      await world.create("a", every(2 * second));
      await world.liveUntil(noon + 5 * second);
      await world.reopen();
      await world.liveUntil(noon + 9 * second);
      const times = [2, 4, 6, 8, 10, 12, 14].map((count) => noon + count * second);
      expect(runTimes(await world.runs("a"))).toEqual(times);
    });

    test("serves all accounts, also if one has very many schedules", async () => {
      const world = await open();
      for (let count = 0; count < 120; count++) await world.create(`a${count}`);
      await world.create("theirs", hourly(), otherAccount);
      await world.goTo(at(13));
      for (let calls = 0; calls < 3; calls++) await world.advanceOnce(20);
      expect(await world.runs("theirs", otherAccount)).toEqual([madeRun(at(13))]);
      expect(await world.advanceOnce(20)).toMatchObject({ advanced: 20 });
    });
  });
}
