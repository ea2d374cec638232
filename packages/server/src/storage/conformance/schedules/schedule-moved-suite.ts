import { describe, expect, test } from "vitest";
import { hour, refTo, resultOf } from "../harness.ts";
import { runInWorld, startJobIn } from "./backfill-harness.ts";
import {
  at,
  every,
  hourly,
  madeRun,
  minute,
  scheduleWorldsOf,
  second,
  skippedRun,
} from "./schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "./schedule-harness.ts";

/** Messages of runs that callers have moved to later times, and what becomes of them when the schedule changes. */
export function scheduleMovedSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);

  function move(world: ScheduleWorld, messageId: string, deliveryTime: number) {
    return world.store.rescheduleMessage({ ...refTo({ messageId }), deliveryTime, waitMs: 0 });
  }

  const stateOf = (world: ScheduleWorld, messageId: string) =>
    world.store.getMessage(refTo({ messageId }));

  /** A schedule whose run of 13:00 was moved to 17:00, and whose later runs were delivered. The clock shows 15:30. */
  async function withMovedRun(change: Parameters<typeof hourly>[0] = {}) {
    const world = await open();
    await world.create("a", hourly(change));
    await world.liveUntil(at(13) - second);
    const [message] = await world.messages("a");
    expect(await move(world, message!.messageId, at(17))).toMatchObject({ kind: "changed" });
    for (const hours of [14, 15]) {
      await world.liveUntil(at(hours));
      expect(await world.finish()).toHaveLength(1);
    }
    await world.liveUntil(at(15, 30));
    return { world, messageId: message!.messageId };
  }

  const later = [14, 15].map((hours) => madeRun(at(hours), { messageState: "DELIVERED" }));
  const [run14, run15] = later;

  test("a pause takes it back, and its run says so", async () => {
    const { world, messageId } = await withMovedRun();
    await world.pause("a");
    expect(await world.runs("a")).toEqual([run15, run14, skippedRun(at(13), "PAUSED")]);
    expect(await stateOf(world, messageId)).toMatchObject({ state: "CANCELLED" });
    await world.liveUntil(at(17));
    expect(await world.finish()).toEqual([]);
  });

  test("a removal takes it back", async () => {
    const { world, messageId } = await withMovedRun();
    await world.remove("a");
    expect(await stateOf(world, messageId)).toMatchObject({ state: "CANCELLED" });
  });

  test("a skip calls it off", async () => {
    const { world, messageId } = await withMovedRun();
    await world.change("a", { kind: "skip", time: at(13) });
    expect((await world.runs("a")).at(-1)).toEqual(skippedRun(at(13), "REQUESTED"));
    expect(await stateOf(world, messageId)).toMatchObject({ state: "CANCELLED" });
  });

  test("each edit makes it again for the time that the caller has given", async () => {
    const { world, messageId } = await withMovedRun();
    for (const payload of ["second", "third"]) {
      await world.define("a", hourly({ payload }));
      await world.pass(minute);
    }
    expect(await world.runs("a")).toEqual([run15, run14, madeRun(at(13))]);
    expect(await stateOf(world, messageId)).toBeUndefined();
    await world.liveUntil(at(16));
    expect(await world.finish()).toHaveLength(1);
    await world.liveUntil(at(17));
    const claims = await world.claim();
    const own = claims.filter(({ options }) => options?.schedule?.runTime === at(13));
    expect(own.map(({ payload }) => payload)).toEqual(["third"]);
    expect(claims).toHaveLength(2);
  });

  test("of what an edit has made again nothing is kept", async () => {
    const { world, messageId } = await withMovedRun();
    const before = await world.messages("a");
    for (const payload of ["second", "third", "fourth"]) {
      await world.define("a", hourly({ payload }));
    }
    expect(await stateOf(world, messageId)).toBeUndefined();
    expect(await move(world, messageId, at(18))).toEqual({ kind: "not-found" });
    expect(await world.messages("a")).toHaveLength(before.length);
    expect(await world.store.removeExpired(100)).toMatchObject({ removed: 3 });
  });

  test("within the flex window, too", async () => {
    const world = await open();
    const id = await world.createDelayed();
    const [message] = await world.messages(id);
    await move(world, message!.messageId, at(13, 55));
    await world.liveUntil(at(13, 51));
    for (const payload of ["second", "third"]) {
      await world.define(id, hourly({ flexWindowMs: hour, payload }));
    }
    const [again] = await world.messages(id);
    expect(again).toMatchObject({ state: "SCHEDULED", nextDeliveryTime: at(13, 55) });
    await world.liveUntil(at(13, 55) - 1);
    expect(await world.finish()).toEqual([]);
    await world.liveUntil(at(13, 55));
    expect(await world.finish()).toEqual([again!.messageId]);
  });

  test("before its run time, too", async () => {
    const world = await open();
    await world.create("a");
    await world.liveUntil(at(13) - 4 * second);
    const [message] = await world.messages("a");
    await move(world, message!.messageId, at(13, 30));
    for (const payload of ["second", "third"]) await world.define("a", hourly({ payload }));
    await world.liveUntil(at(13, 10));
    await world.define("a", hourly({ payload: "fourth" }));
    const [again] = await world.messages("a");
    expect(again).toMatchObject({ state: "SCHEDULED", nextDeliveryTime: at(13, 30) });
    expect(await world.runs("a")).toEqual([madeRun(at(13))]);
  });

  test("an edit to other times leaves it out", async () => {
    const { world, messageId } = await withMovedRun();
    await world.define("a", hourly({ cron: ["30 * * * *"] }));
    expect((await world.runs("a")).at(-1)).toEqual(skippedRun(at(13), "EDITED"));
    expect(await stateOf(world, messageId)).toMatchObject({ state: "CANCELLED" });
  });

  test("made again, it is not the run that the next one meets", async () => {
    const { world } = await withMovedRun();
    await world.define("a", hourly({ overlap: "skip", payload: "second" }));
    await world.liveUntil(at(16));
    expect((await world.runs("a"))[0]).toEqual(madeRun(at(16)));
  });

  test("made again, it counts for `maxRuns` once", async () => {
    const { world } = await withMovedRun({ maxRuns: 4 });
    await world.define("a", hourly({ maxRuns: 4, payload: "second" }));
    await world.liveUntil(at(18));
    expect((await world.runs("a")).map(({ runTime }) => runTime)).toEqual(
      [16, 15, 14, 13].map((hours) => at(hours)),
    );
  });

  describe("it stays", () => {
    test("once its time has come", async () => {
      const { world, messageId } = await withMovedRun();
      await world.liveUntil(at(17));
      await world.pause("a");
      expect(await stateOf(world, messageId)).toMatchObject({ state: "SCHEDULED" });
      expect((await world.runs("a")).at(-1)).toEqual(madeRun(at(13)));
    });

    test("once it was attempted", async () => {
      const { world, messageId } = await withMovedRun();
      await world.liveUntil(at(17));
      const claims = await world.claim();
      const retry = { kind: "retry", delayMs: 2 * 60 * minute } as const;
      await world.store.recordAttempts(
        world.holder,
        claims.map((claim) => resultOf(claim, retry)),
      );
      await move(world, messageId, at(22));
      await world.pause("a");
      expect(await stateOf(world, messageId)).toMatchObject({ state: "SCHEDULED" });
    });

    test("if it was cancelled, as it is", async () => {
      const { world, messageId } = await withMovedRun();
      await world.store.cancelMessage({ ...refTo({ messageId }), waitMs: 0 });
      await world.pause("a");
      const cancelled = madeRun(at(13), { messageState: "CANCELLED" });
      expect((await world.runs("a")).at(-1)).toEqual(cancelled);
    });

    test("if a caller has asked for the run", async () => {
      const world = await open();
      await world.create("a");
      const { run } = await world.change("a", { kind: "trigger" });
      await move(world, run!.messageId!, at(17));
      await world.liveUntil(at(15, 30));
      await world.remove("a");
      expect(await stateOf(world, run!.messageId!)).toMatchObject({ state: "SCHEDULED" });
    });
  });

  describe("after the row of its run has expired", () => {
    const daily = hourly({ cron: ["0 13 * * *"] });

    /** Lets the rows of all runs up to 13:00 expire. The clock shows 16:00. */
    async function expireRuns(world: ScheduleWorld): Promise<void> {
      await world.goTo(at(16));
      await world.store.removeExpired(100);
      expect(await world.runs("a")).toEqual([]);
    }

    async function withRunOf13() {
      const world = await open({ retentionMs: hour });
      await world.create("a", daily);
      await world.liveUntil(at(13) - second);
      const [message] = await world.messages("a");
      return { world, messageId: message!.messageId };
    }

    async function expectTakenBack(world: ScheduleWorld, messageId: string): Promise<void> {
      await world.pause("a");
      expect(await stateOf(world, messageId)).toMatchObject({ state: "CANCELLED" });
      expect(await world.runs("a")).toEqual([skippedRun(at(13), "PAUSED")]);
    }

    test("it is taken back", async () => {
      const { world, messageId } = await withRunOf13();
      await move(world, messageId, at(17));
      await expireRuns(world);
      await expectTakenBack(world, messageId);
    });

    test("it is taken back if it was moved again", async () => {
      const { world, messageId } = await withRunOf13();
      await move(world, messageId, at(17));
      await expireRuns(world);
      await move(world, messageId, at(18));
      await world.liveUntil(at(17, 30));
      await expectTakenBack(world, messageId);
    });

    test("it is taken back if it had waited until then, and was moved for the first time", async () => {
      const { world, messageId } = await withRunOf13();
      await expireRuns(world);
      await move(world, messageId, at(18));
      await world.liveUntil(at(17, 30));
      await expectTakenBack(world, messageId);
    });

    test("it stays if it was due and nobody has moved it", async () => {
      const { world, messageId } = await withRunOf13();
      await expireRuns(world);
      await world.pause("a");
      expect(await stateOf(world, messageId)).toMatchObject({ state: "SCHEDULED" });
    });

    test("it stays if a caller had asked for the run", async () => {
      const world = await open({ retentionMs: hour });
      await world.create("a", daily);
      const { run } = await world.change("a", { kind: "trigger" });
      await expireRuns(world);
      await move(world, run!.messageId!, at(18));
      await world.remove("a");
      expect(await stateOf(world, run!.messageId!)).toMatchObject({ state: "SCHEDULED" });
    });
  });

  test("what a job has moved is taken back, too", async () => {
    const world = await open();
    await world.create("a");
    await world.liveUntil(at(13) - second);
    const [message] = await world.messages("a");
    const job = await startJobIn(world, { action: "shift", byMs: 4 * 60 * minute });
    expect(await runInWorld(world, job)).toMatchObject({ state: "DONE", done: 1 });
    await world.liveUntil(at(13, 30));
    await world.pause("a");
    expect(await stateOf(world, message!.messageId)).toMatchObject({ state: "CANCELLED" });
    expect(await world.runs("a")).toEqual([skippedRun(at(13), "PAUSED")]);
  });

  test("it is found behind any number of runs, also after a restart", async () => {
    const world = await open();
    const catchUp = { mode: "all", windowMs: 24 * 60 * minute } as const;
    await world.create("a", every(second, { catchUp }));
    const [message] = await world.messages("a");
    await move(world, message!.messageId, at(23));
    // The 1,000 latest of them are made afterwards.
    await world.goTo(at(13));
    await world.advance();
    await world.reopen();
    await world.pause("a");
    expect(await stateOf(world, message!.messageId)).toMatchObject({ state: "CANCELLED" });
  });
}
