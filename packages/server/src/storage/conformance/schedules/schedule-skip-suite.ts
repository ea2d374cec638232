import { describe, expect, test } from "vitest";
import { mostSkips } from "../../../domain/schedules/limits.ts";
import { entriesOf, hour, refTo } from "../harness.ts";
import {
  at,
  every,
  hourly,
  madeRun,
  minute,
  noon,
  scheduleWorldsOf,
  second,
  skippedRun,
} from "./schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "./schedule-harness.ts";

/** Callers call single runs off, and take that back. */
export function scheduleSkipSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);
  const skip = (world: ScheduleWorld, time: number) =>
    world.tryToChange("a", { kind: "skip", time });
  const unskip = (world: ScheduleWorld, time: number) =>
    world.tryToChange("a", { kind: "unskip", time });

  describe("a run to come", () => {
    test("is not made, and is on record once its time has come", async () => {
      const world = await open();
      await world.create("a");
      expect(await skip(world, at(14))).toMatchObject({
        kind: "changed",
        schedule: { skips: [at(14)], nextRunTime: at(13), revision: 2 },
        ...{ run: null, planned: [] },
      });
      await world.liveUntil(at(15));
      expect(await world.runs("a")).toEqual([
        madeRun(at(15)),
        skippedRun(at(14), "REQUESTED"),
        madeRun(at(13)),
      ]);
      expect(await world.schedule("a")).toMatchObject({ skips: [], revision: 2 });
    });

    test("is not the next one any more", async () => {
      const world = await open();
      await world.create("a");
      await skip(world, at(13));
      await skip(world, at(15));
      expect(await world.schedule("a")).toMatchObject({
        ...{ skips: [at(13), at(15)], nextRunTime: at(14) },
      });
      await world.liveUntil(at(14));
      expect(await world.schedule("a")).toMatchObject({ skips: [at(15)], nextRunTime: at(16) });
    });

    test("comes back with an unskip", async () => {
      const world = await open();
      await world.create("a");
      await skip(world, at(13));
      expect(await unskip(world, at(13))).toMatchObject({
        ...{ kind: "changed", schedule: { skips: [], nextRunTime: at(13), revision: 3 } },
      });
      await world.liveUntil(at(13));
      expect(await world.runs("a")).toEqual([madeRun(at(13))]);
    });

    test("does not count for the number of runs", async () => {
      const world = await open();
      await world.create("a", hourly({ maxRuns: 2 }));
      await skip(world, at(13));
      await world.liveUntil(at(18));
      expect(await world.runs("a")).toEqual([
        madeRun(at(15)),
        madeRun(at(14)),
        skippedRun(at(13), "REQUESTED"),
      ]);
    });
  });

  describe("a run that is made already", () => {
    test("is cancelled with the call", async () => {
      const world = await open();
      await world.create("a");
      await world.liveUntil(at(13) - 4 * second);
      const [message] = await world.messages("a");
      expect(await skip(world, at(13))).toMatchObject({ kind: "changed" });
      expect(await world.runs("a")).toEqual([skippedRun(at(13), "REQUESTED")]);
      expect(await world.store.getMessage(refTo(message!))).toMatchObject({
        ...{ state: "CANCELLED", cancellationTime: world.now, endReason: null },
      });
      await world.liveUntil(at(14));
      expect(await world.finish()).toHaveLength(1);
    });

    test("is made again by an unskip before its time, and not afterwards", async () => {
      const world = await open();
      await world.create("a");
      await world.liveUntil(at(13) - 4 * second);
      await skip(world, at(13));
      const again = await unskip(world, at(13));
      expect(again).toMatchObject({ kind: "changed", planned: [{ dueAt: at(13) }] });
      expect(await world.runs("a")).toEqual([madeRun(at(13))]);
      await skip(world, at(13));
      await world.goTo(at(13));
      expect(await unskip(world, at(13))).toEqual({ kind: "no-open-occurrence" });
      expect(await world.runs("a")).toEqual([skippedRun(at(13), "REQUESTED")]);
      expect(await world.finish()).toEqual([]);
    });

    test("made again, it is not the one that the run after the next one meets", async () => {
      const world = await open();
      await world.create("a", every(2 * second, { overlap: "skip" }));
      await skip(world, noon + 2 * second);
      await unskip(world, noon + 2 * second);
      await world.liveUntil(noon + 2 * second);
      expect(await world.finish()).toHaveLength(1);
      await world.liveUntil(noon + 4 * second);
      const claims = await world.claim();
      await world.liveUntil(noon + 6 * second);
      expect((await world.runs("a"))[0]).toEqual(skippedRun(noon + 6 * second, "OVERLAP"));
      await world.record(claims, "delivered");
      await world.liveUntil(noon + 8 * second);
      expect((await world.runs("a"))[0]).toEqual(madeRun(noon + 8 * second));
    });

    test("can be called off in its window", async () => {
      const world = await open();
      const id = await world.createDelayed();
      await world.pass(minute);
      await world.change(id, { kind: "skip", time: at(13) });
      expect(await world.runs(id)).toEqual([skippedRun(at(13), "REQUESTED")]);
    });
  });

  test("what is no run time to come, or is over, cannot be called off", async () => {
    const world = await open();
    await world.create("a");
    await world.liveUntil(at(13));
    const before = await world.schedule("a");
    const entries = (await entriesOf(world.store)).length;
    for (const time of [at(13), at(12), at(14, 1), at(14) + 1, noon - hour]) {
      expect(await skip(world, time)).toEqual({ kind: "no-open-occurrence" });
    }
    for (const time of [at(13), at(14), at(14, 1)]) {
      expect(await unskip(world, time)).toEqual({ kind: "no-open-occurrence" });
    }
    expect(await world.schedule("a")).toEqual(before);
    expect(await world.runs("a")).toEqual([madeRun(at(13))]);
    expect(await entriesOf(world.store)).toHaveLength(entries);
  });

  test("a bounded number can be called off", async () => {
    const world = await open();
    await world.create("a");
    for (let count = 1; count <= mostSkips; count++) {
      expect((await skip(world, noon + count * hour)).kind).toBe("changed");
    }
    expect(await skip(world, noon + (mostSkips + 1) * hour)).toEqual({ kind: "too-many-skips" });
    await unskip(world, at(13));
    expect((await skip(world, noon + (mostSkips + 1) * hour)).kind).toBe("changed");
  });
}
