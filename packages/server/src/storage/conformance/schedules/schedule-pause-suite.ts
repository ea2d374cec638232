import { describe, expect, test } from "vitest";
import { resultOf } from "../harness.ts";
import {
  at,
  every,
  hourly,
  madeRun,
  minute,
  noon,
  refOf,
  scheduleNote,
  scheduleWorldsOf,
  second,
  skippedRun,
} from "./schedule-harness.ts";
import type { MakeClockedLocation } from "./schedule-harness.ts";

/** A paused schedule makes no runs. */
export function schedulePauseSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);

  test("a pause has a time, a note and an end, and is a change of the schedule", async () => {
    const world = await open();
    await world.create("a");
    await world.pass(minute);
    const change = { kind: "pause", note: "a 'note'", until: at(14, 30) } as const;
    const { schedule, run } = await world.change("a", change);
    expect(run).toBeNull();
    expect(schedule).toMatchObject({
      pause: { time: world.now, note: "a 'note'", until: at(14, 30), reason: "REQUESTED" },
      ...{ revision: 2, updateTime: world.now, creationTime: noon, nextRunTime: at(15) },
    });
    expect(await world.schedule("a")).toEqual(schedule);
    const resumed = await world.resume("a");
    expect(resumed.schedule).toMatchObject({ pause: null, revision: 3, nextRunTime: at(13) });
    expect(
      await world.store.changeSchedule(refOf("b"), { kind: "resume" }, scheduleNote("b")),
    ).toEqual({ kind: "not-found" });
  });

  describe("what was made", () => {
    test("and whose time is to come goes without a trace", async () => {
      const world = await open();
      await world.create("a", every(2 * second));
      const messages = await world.messages("a");
      expect(messages).toHaveLength(2);
      await world.pause("a");
      expect(await world.runs("a")).toEqual([]);
      expect(await world.schedule("a")).toMatchObject({ lastRun: null, nextRunTime: null });
      await world.liveUntil(noon + minute);
      expect(await world.finish()).toEqual([]);
      expect(await world.runs("a")).toEqual([]);
    });

    test("and waits in its window is cancelled, and its run says so", async () => {
      const world = await open();
      const id = await world.createDelayed();
      const [message] = await world.messages(id);
      await world.pass(minute);
      await world.pause(id);
      expect(await world.runs(id)).toEqual([skippedRun(at(13), "PAUSED")]);
      const accountId = (await world.schedule(id)).accountId;
      const { messageId } = message!;
      expect(await world.store.getMessage({ accountId, messageId })).toMatchObject({
        ...{ state: "CANCELLED", cancellationTime: world.now, endReason: null },
      });
    });

    test("and is due stays", async () => {
      const world = await open();
      await world.create("a");
      await world.liveUntil(at(13));
      await world.pause("a");
      expect(await world.runs("a")).toEqual([madeRun(at(13))]);
      expect(await world.finish()).toHaveLength(1);
    });

    test("and is attempted, or was, stays", async () => {
      const world = await open();
      await world.create("a");
      await world.liveUntil(at(13));
      const claims = await world.claim();
      const retry = resultOf(claims[0]!, { kind: "retry", delayMs: 10 * minute });
      await world.pause("a");
      await world.resume("a");
      await world.store.recordAttempts(world.holder, [retry]);
      await world.pause("a");
      expect(await world.runs("a")).toEqual([madeRun(at(13))]);
      await world.pass(11 * minute);
      expect(await world.finish()).toHaveLength(1);
    });
  });

  test("nothing is made meanwhile, and nothing is caught up after the resume", async () => {
    const world = await open();
    await world.create("a");
    await world.liveUntil(at(13));
    await world.pause("a");
    await world.liveUntil(at(15, 30));
    expect(await world.advanceOnce()).toMatchObject({ advanced: 0, nextLookTime: null });
    const { schedule } = await world.resume("a");
    expect(schedule).toMatchObject({ pause: null, nextRunTime: at(16) });
    await world.liveUntil(at(16));
    expect(await world.runs("a")).toEqual([madeRun(at(16)), madeRun(at(13))]);
  });

  test("a pause with an end is over by itself", async () => {
    const world = await open();
    await world.create("a");
    const { schedule } = await world.pause("a", at(14, 30));
    expect(schedule.nextRunTime).toBe(at(15));
    await world.liveUntil(at(14, 29));
    expect(await world.schedule("a")).toMatchObject({ pause: { until: at(14, 30) } });
    await world.liveUntil(at(15));
    expect(await world.schedule("a")).toMatchObject({ pause: null, nextRunTime: at(16) });
    expect(await world.runs("a")).toEqual([madeRun(at(15))]);
  });

  test("a pause that ends while nobody looks leaves nothing to catch up from before its end", async () => {
    const world = await open();
    await world.create("a", hourly({ catchUp: { mode: "all", windowMs: 24 * 60 * minute } }));
    await world.pause("a", at(14, 30));
    await world.goTo(at(16, 30));
    await world.advance();
    const runTimes = (await world.runs("a")).map(({ runTime }) => runTime);
    expect(runTimes.filter((time) => time < at(14, 30))).toEqual([]);
    await world.liveUntil(at(17));
    expect((await world.runs("a"))[0]).toEqual(madeRun(at(17)));
  });

  test("a resume makes the runs of the next seconds", async () => {
    const world = await open();
    await world.create("a");
    await world.pause("a");
    await world.goTo(at(13) - second);
    const resumed = await world.resume("a");
    const { targetKey } = world;
    const { accountId } = resumed.schedule;
    expect(resumed.planned).toEqual([{ accountId, targetKey, dueAt: at(13) }]);
    expect(await world.runs("a")).toEqual([madeRun(at(13))]);
  });

  test("what a pause took back is not made again by a resume after its time", async () => {
    const world = await open();
    await world.create("a");
    await world.liveUntil(at(13) - second);
    await world.pause("a");
    await world.goTo(at(13, 30));
    await world.resume("a");
    await world.liveUntil(at(14));
    expect(await world.runs("a")).toEqual([madeRun(at(14))]);
  });

  test("and by a resume before its time it is", async () => {
    const world = await open();
    await world.create("a");
    await world.liveUntil(at(13) - 4 * second);
    await world.pause("a");
    await world.pass(second);
    await world.resume("a");
    expect(await world.runs("a")).toEqual([madeRun(at(13))]);
    await world.goTo(at(13));
    expect(await world.finish()).toHaveLength(1);
  });
}
