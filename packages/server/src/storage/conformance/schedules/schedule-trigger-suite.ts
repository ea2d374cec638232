import { expect, test } from "vitest";
import { account, entriesOf, limitMessages, note } from "../harness.ts";
import {
  at,
  hourly,
  madeRun,
  minute,
  refOf,
  scheduleWorldsOf,
  second,
} from "./schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "./schedule-harness.ts";

/** One run now, because a caller asks for it. */
export function scheduleTriggerSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);
  const trigger = (world: ScheduleWorld) => world.change("a", { kind: "trigger" });
  const manual = (runTime: number) => madeRun(runTime, { trigger: "MANUAL" });

  test("the run is due at once, and the schedule goes on as before", async () => {
    const world = await open();
    await world.create("a");
    await world.pass(minute);
    const entry = note({ action: "schedule.triggered", subjectId: "a" });
    const made = await world.store.changeSchedule(refOf("a"), { kind: "trigger" }, entry);
    const { targetKey, now } = world;
    expect(made).toMatchObject({
      ...{ kind: "changed", run: manual(now), schedule: { nextRunTime: at(13) } },
      planned: [{ accountId: account, targetKey, dueAt: now }],
    });
    expect((await entriesOf(world.store))[0]).toMatchObject(entry);
    expect(await world.runs("a")).toEqual([manual(now)]);
    expect(await world.schedule("a")).toMatchObject({ lastRun: manual(now) });
    const [message] = await world.messages("a");
    expect(message).toMatchObject({
      ...{ originalDeliveryTime: now, nextDeliveryTime: now },
      options: { schedule: { scheduleId: "a", runTime: now } },
    });
    expect(await world.finish()).toEqual([message!.messageId]);
    await world.liveUntil(at(13));
    expect((await world.runs("a"))[0]).toEqual(madeRun(at(13)));
  });

  test("two at one instant have times of their own", async () => {
    const world = await open();
    await world.create("a");
    await world.pass(minute);
    for (let count = 0; count < 3; count++) await trigger(world);
    const times = [world.now + 2, world.now + 1, world.now];
    expect(await world.runs("a")).toEqual(times.map((time) => manual(time)));
    expect(new Set((await world.messages("a")).map(({ messageId }) => messageId)).size).toBe(3);
  });

  test("one at a run time takes no place from the run of that time", async () => {
    const world = await open();
    await world.create("a");
    await world.liveUntil(at(13));
    await trigger(world);
    expect(await world.runs("a")).toEqual([manual(at(13) + 1), madeRun(at(13))]);
  });

  test("a paused schedule makes it, and stays paused", async () => {
    const world = await open();
    await world.create("a");
    await world.pause("a");
    const { schedule } = await trigger(world);
    expect(schedule).toMatchObject({ pause: { reason: "REQUESTED" }, nextRunTime: null });
    expect(await world.finish()).toHaveLength(1);
    await world.liveUntil(at(15));
    expect(await world.runs("a")).toHaveLength(1);
  });

  test("one that has ended makes it too, and it does not count for the number of runs", async () => {
    const world = await open();
    await world.create("a", hourly({ maxRuns: 2 }));
    await world.pass(minute);
    await trigger(world);
    await world.liveUntil(at(15, 1));
    expect(await world.schedule("a")).toMatchObject({ nextRunTime: null });
    await trigger(world);
    expect(await world.runs("a")).toEqual([
      ...[manual(at(15, 1)), madeRun(at(14)), madeRun(at(13)), manual(at(12, 1))],
    ]);
  });

  test("overlap does not ask about it", async () => {
    const world = await open();
    await world.create("a", hourly({ overlap: "skip" }));
    await world.liveUntil(at(13));
    await world.pass(minute);
    await trigger(world);
    expect((await world.runs("a"))[0]).toEqual(manual(at(13, 1)));
    await world.finish();
    await trigger(world);
    await world.liveUntil(at(14));
    expect((await world.runs("a"))[0]).toEqual(madeRun(at(14)));
  });

  test("over the limit of the account nothing happens", async () => {
    const world = await open();
    await world.create("a");
    await limitMessages(world.store, account, 1);
    await trigger(world);
    const before = await world.schedule("a");
    const entries = (await entriesOf(world.store)).length;
    await world.pass(second);
    expect(await world.tryToChange("a", { kind: "trigger" })).toEqual({ kind: "over-quota" });
    expect(await world.runs("a")).toHaveLength(1);
    expect(await world.schedule("a")).toEqual(before);
    expect(await entriesOf(world.store)).toHaveLength(entries);
  });
}
