import { describe, expect, test } from "vitest";
import { account, hour, limitMessages, note, otherAccount } from "../harness.ts";
import {
  at,
  every,
  hourly,
  madeRun,
  minute,
  missedRun,
  noon,
  refOf,
  scheduleWorldsOf,
  second,
  skippedRun,
} from "./schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "./schedule-harness.ts";

/** What the state and the limits of an account mean for its schedules. */
export function scheduleAccountSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);
  /** More schedules than a look releases of an account that was resumed. */
  const many = 520;
  const setState = ({ store }: ScheduleWorld, state: "ACTIVE" | "SUSPENDED") =>
    store.updateAccount(account, { state }, note());

  describe("the monthly limit", () => {
    test("counts runs, and what it leaves no room for is on record", async () => {
      const world = await open();
      await world.create("a", every(second));
      expect(await world.store.getUsage(account)).toMatchObject({ used: 5 });
      await limitMessages(world.store, account, 6);
      await world.liveUntil(noon + 3 * second);
      const outcomes = (await world.runs("a")).slice(0, 3);
      expect(outcomes).toEqual([
        skippedRun(noon + 8 * second, "E-DI-5005"),
        skippedRun(noon + 7 * second, "E-DI-5005"),
        madeRun(noon + 6 * second),
      ]);
      expect(await world.store.getUsage(account)).toMatchObject({ used: 6 });
    });

    test("lets the schedule go on, and runs are made again when there is room", async () => {
      const world = await open();
      await world.create("a");
      await limitMessages(world.store, account, 0);
      await world.liveUntil(at(14, 30));
      expect(await world.runs("a")).toEqual(
        [at(14), at(13)].map((time) => skippedRun(time, "E-DI-5005")),
      );
      await limitMessages(world.store, account, null);
      await world.liveUntil(at(15));
      expect((await world.runs("a"))[0]).toEqual(madeRun(at(15)));
    });

    test("a run that is taken back stays counted", async () => {
      const world = await open();
      await world.create("a", every(second));
      await world.pause("a");
      expect(await world.store.getUsage(account)).toMatchObject({ used: 5 });
    });

    test("a run that an edit makes again counts once, and is made at the limit too", async () => {
      const world = await open();
      await world.create("a", every(second));
      await limitMessages(world.store, account, 5);
      const before = await world.messages("a");
      await world.define("a", every(second, { payload: "new" }));
      expect(await world.runs("a")).toEqual(
        [5, 4, 3, 2, 1].map((count) => madeRun(noon + count * second)),
      );
      const after = await world.messages("a");
      expect(after.map(({ messageId }) => messageId)).not.toEqual(
        before.map(({ messageId }) => messageId),
      );
      expect(await world.store.getUsage(account)).toMatchObject({ used: 5 });
      await world.goTo(noon + 5 * second);
      const claims = await world.claim();
      expect(claims.map(({ payload }) => payload)).toEqual(["new", "new", "new", "new", "new"]);
      await world.advance();
      expect((await world.runs("a"))[0]).toEqual(skippedRun(noon + 10 * second, "E-DI-5005"));
    });

    test("an edit at the limit keeps the run in its window, also for another target", async () => {
      const world = await open();
      const id = await world.createDelayed();
      const { used } = (await world.store.getUsage(account))!;
      await limitMessages(world.store, account, used);
      await world.pass(minute);
      await world.define(id, hourly({ flexWindowMs: hour, payload: "new", targetId: "other" }));
      expect(await world.runs(id)).toEqual([madeRun(at(13))]);
      const [message] = await world.messages(id);
      expect(message).toMatchObject({ targetId: "other", state: "SCHEDULED" });
      expect(await world.store.getUsage(account)).toMatchObject({ used });
    });

    test("what an edit makes besides counts", async () => {
      const world = await open();
      await world.create("a");
      await limitMessages(world.store, account, 2);
      await world.liveUntil(at(13) - second);
      await world.define("a", every(second, { startTime: at(13) - hour }));
      const runs = (await world.runs("a")).toReversed();
      expect(runs.map(({ runTime, reason }) => [runTime - at(13), reason])).toEqual([
        ...[
          [0, null],
          [second, null],
        ],
        ...[2, 3, 4].map((count) => [count * second, "E-DI-5005"]),
      ]);
      expect(await world.store.getUsage(account)).toMatchObject({ used: 2 });
    });

    test("at the limit a pause still takes back what was made, and a resume counts anew", async () => {
      const world = await open();
      await world.create("a", every(second));
      await limitMessages(world.store, account, 5);
      await world.pause("a");
      await world.resume("a");
      const reasons = (await world.runs("a")).map(({ reason }) => reason);
      expect(new Set(reasons)).toEqual(new Set(["E-DI-5005"]));
    });

    describe("at the end of a month", () => {
      const newYear = Date.UTC(2027, 0);

      test("runs count for the month of their times", async () => {
        const world = await open({ now: newYear - 3 * second });
        await world.create("a", every(second));
        expect(await world.store.getUsage(account)).toMatchObject({ month: "2026-12", used: 2 });
        await world.goTo(newYear);
        expect(await world.store.getUsage(account)).toMatchObject({ month: "2027-01", used: 3 });
        await world.advance();
        expect(await world.store.getUsage(account)).toMatchObject({ month: "2027-01", used: 6 });
      });

      test("a step may count for both months", async () => {
        const world = await open({ now: newYear - 20 * second });
        await world.create("a", every(second));
        await world.goTo(newYear - 3 * second);
        await world.advance();
        expect(await world.store.getUsage(account)).toMatchObject({ month: "2026-12", used: 19 });
        await world.goTo(newYear + 2 * second);
        expect(await world.store.getUsage(account)).toMatchObject({ month: "2027-01", used: 3 });
        expect(await world.finish()).toHaveLength(22);
      });

      test("the limit of each month counts for its own runs", async () => {
        const world = await open({ now: newYear - 3 * second });
        await limitMessages(world.store, account, 1);
        await world.create("a", every(second));
        const reasonsBySecond = (await world.runs("a"))
          .toReversed()
          .map(({ runTime, reason }) => [(runTime - newYear) / second, reason]);
        expect(reasonsBySecond).toEqual([
          ...[
            [-2, null],
            [-1, "E-DI-5005"],
          ],
          ...[
            [0, null],
            [1, "E-DI-5005"],
            [2, "E-DI-5005"],
          ],
        ]);
        await world.goTo(newYear);
        expect(await world.store.getUsage(account)).toMatchObject({ used: 1, limit: 1 });
      });

      test("a month that is used up does not cost the first run of the next", async () => {
        const world = await open({ now: newYear - hour });
        await world.create("a");
        await world.create("b");
        await limitMessages(world.store, account, 1);
        await world.change("a", { kind: "trigger" });
        await world.liveUntil(newYear - 5 * second);
        const made = [...(await world.runs("a")), ...(await world.runs("b"))];
        const reasons = made
          .filter(({ runTime }) => runTime === newYear)
          .map(({ reason }) => reason);
        expect(new Set(reasons)).toEqual(new Set(["E-DI-5005", null]));
        await world.goTo(newYear);
        expect(await world.store.getUsage(account)).toMatchObject({ used: 1 });
      });

      test("a run that is late counts when it is made", async () => {
        const world = await open({ now: newYear - minute });
        await world.create("a", every(second, { catchUp: { mode: "all", windowMs: hour } }));
        await world.goTo(newYear + second);
        await world.advance();
        const { used } = (await world.store.getUsage(account))!;
        expect(used).toBe(1 + 60);
        await world.goTo(newYear - second);
        expect(await world.store.getUsage(account)).toMatchObject({ used: 5 });
      });
    });

    test("in a new schedule's first seconds counts as well", async () => {
      const world = await open();
      await limitMessages(world.store, account, 2);
      await world.create("a", every(second));
      const runs = (await world.runs("a")).toReversed();
      expect(runs.map(({ reason }) => reason)).toEqual([
        ...[null, null, "E-DI-5005", "E-DI-5005", "E-DI-5005"],
      ]);
    });
  });

  describe("a suspended account", () => {
    test("makes no runs, and the others do", async () => {
      const world = await open();
      await world.create("a");
      await world.create("theirs", hourly(), otherAccount);
      await setState(world, "SUSPENDED");
      await world.liveUntil(at(14, 10));
      expect(await world.runs("a")).toEqual([]);
      expect(await world.runs("theirs", otherAccount)).toHaveLength(2);
    });

    test("is not looked at before it is resumed", async () => {
      const world = await open();
      await world.create("a");
      await setState(world, "SUSPENDED");
      await world.goTo(at(13));
      expect(await world.advanceOnce()).toMatchObject({ advanced: 0, nextLookTime: null });
      expect(await world.schedule("a")).toMatchObject({ nextRunTime: at(13), revision: 1 });
    });

    test("misses what comes meanwhile, also behind a run that waits", async () => {
      const world = await open();
      const catchUp = { mode: "none", windowMs: hour } as const;
      await world.create("a", every(20 * second, { overlap: "queue", catchUp }));
      await world.liveUntil(noon + 50 * second);
      await setState(world, "SUSPENDED");
      await world.liveUntil(noon + 115 * second);
      await setState(world, "ACTIVE");
      await world.advance();
      for (let count = 0; count < 2; count++) {
        expect(await world.finish()).toHaveLength(1);
        await world.liveUntil(world.now + second);
      }
      expect((await world.runs("a")).slice(-4)).toEqual([
        ...[80, 60].map((each) => missedRun(noon + each * second, "NOT_CAUGHT_UP")),
        ...[40, 20].map((each) => madeRun(noon + each * second, { messageState: "DELIVERED" })),
      ]);
    });

    test("goes on at once when it is resumed, and loses nothing that comes then", async () => {
      const world = await open();
      const catchUp = { mode: "none", windowMs: hour } as const;
      await world.create("a", every(second, { catchUp }));
      await setState(world, "SUSPENDED");
      await world.liveUntil(noon + minute);
      await setState(world, "ACTIVE");
      await world.advance();
      const madeTimes = (await world.runs("a"))
        .filter(({ outcome, runTime }) => outcome === "CREATED" && runTime > noon + 5 * second)
        .map(({ runTime }) => runTime - noon);
      // Those that are up to ten seconds late, and those of the next five.
      const expected = Array.from({ length: 16 }, (_, index) => minute + (5 - index) * second);
      expect(madeTimes).toEqual(expected);
    });

    test("goes on with all of its schedules, in pieces", async () => {
      const world = await open();
      for (let made = 0; made < many; made++) await world.create(`a${made}`);
      await setState(world, "SUSPENDED");
      await world.goTo(at(13));
      await world.advance();
      await setState(world, "ACTIVE");
      expect((await world.advance()).runs).toMatchObject({ CREATED: many });
    });

    test("stays suspended if that comes before all of its schedules have gone on", async () => {
      const world = await open();
      for (let made = 0; made < many; made++) await world.create(`a${made}`);
      await setState(world, "SUSPENDED");
      await world.goTo(at(13));
      await world.advance();
      await setState(world, "ACTIVE");
      const { runs } = await world.advanceOnce();
      await setState(world, "SUSPENDED");
      expect(await world.advance()).toMatchObject({
        advanced: 0,
        nextLookTime: expect.any(Number),
      });
      await setState(world, "ACTIVE");
      expect((await world.advance()).runs).toMatchObject({ CREATED: many - runs.CREATED });
    });

    test("catches up as its schedules say when it is resumed", async () => {
      const world = await open();
      await world.create("a");
      await setState(world, "SUSPENDED");
      await world.liveUntil(at(14, 10));
      await setState(world, "ACTIVE");
      await world.liveUntil(at(14, 11));
      expect(await world.runs("a")).toEqual([
        madeRun(at(14), { trigger: "CATCH_UP" }),
        missedRun(at(13), "NOT_CAUGHT_UP"),
      ]);
      await world.liveUntil(at(15));
      expect((await world.runs("a"))[0]).toEqual(madeRun(at(15)));
    });

    test("can be resumed before a run is missed", async () => {
      const world = await open();
      await world.create("a");
      await setState(world, "SUSPENDED");
      await world.liveUntil(at(12, 30));
      await setState(world, "ACTIVE");
      await world.liveUntil(at(13));
      expect(await world.runs("a")).toEqual([madeRun(at(13))]);
    });
  });

  test("the schedules of a removed account go, and make nothing more", async () => {
    const world = await open();
    for (let count = 0; count < 30; count++) await world.create(`a${count}`, every(second));
    await world.create("theirs", hourly(), otherAccount);
    await setState(world, "SUSPENDED");
    expect(await world.store.removeAccount(account, note())).toMatchObject({ kind: "removed" });
    expect(await world.store.getSchedule(refOf("a0"))).toBeUndefined();
    const all = { accountId: account, targetId: null, paused: null, after: null, limit: 9 };
    expect(await world.store.listSchedules(all)).toEqual([]);
    expect(await world.tryToCreate("b")).toEqual({ kind: "no-target" });
    await world.pass(minute);
    expect(await world.advance()).toMatchObject({ advanced: 0 });
    for (let rounds = 0; rounds < 200; rounds++) {
      const { removed, nextExpiry } = await world.store.removeExpired(20);
      if (removed === 0 && (nextExpiry ?? Infinity) > world.now) break;
    }
    expect(await world.advanceOnce()).toMatchObject({ nextLookTime: at(13) - 5 * second });
    await world.liveUntil(at(13));
    expect(await world.runs("theirs", otherAccount)).toEqual([madeRun(at(13))]);
  });
}
