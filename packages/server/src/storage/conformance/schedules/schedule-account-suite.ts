import { describe, expect, test } from "vitest";
import { account, limitMessages, note, otherAccount } from "../harness.ts";
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

    test("is looked at now and then, and not all the time", async () => {
      const world = await open();
      await world.create("a");
      await setState(world, "SUSPENDED");
      await world.goTo(at(13));
      const step = await world.advanceOnce();
      expect(step.advanced).toBe(0);
      expect(step.nextLookTime).toBe(at(13) + 30 * second);
      expect(await world.schedule("a")).toMatchObject({ nextRunTime: at(13), revision: 1 });
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
