import { expect, test } from "vitest";
import { mostBeyondRecord, mostOnRecord } from "../../../domain/schedules/limits.ts";
import { account, hour, limitMessages } from "../harness.ts";
import { backfill } from "./backfill-harness.ts";
import { every, madeRun, noon, scheduleWorldsOf, second } from "./schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "./schedule-harness.ts";

/** How much stays on record of what did not happen. No quota counts it. */
export function scheduleRecordSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);
  const catchUp = { mode: "all", windowMs: hour } as const;
  const most = mostOnRecord + mostBeyondRecord;

  /** Passes more time than can be on record, and looks each time that as much is due as a step decides. */
  async function passLong(world: ScheduleWorld): Promise<void> {
    for (let looks = 0; looks < 8; looks++) {
      await world.pass(200 * second);
      await world.advance();
    }
  }

  async function unmade(world: ScheduleWorld) {
    return (await world.runs("a")).filter(({ messageId }) => messageId === null);
  }

  test("over the limit only the latest runs stay, and all of those that have a message", async () => {
    const world = await open();
    await world.create("a", every(second, { catchUp }));
    await limitMessages(world.store, account, 5);
    await passLong(world);
    const skipped = await unmade(world);
    expect(skipped.length).toBeGreaterThanOrEqual(mostOnRecord);
    expect(skipped.length).toBeLessThanOrEqual(most);
    const newest = world.now + 5 * second;
    expect(skipped.map(({ runTime }) => runTime)).toEqual(
      skipped.map((_, index) => newest - index * second),
    );
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(new Set(["E-DI-5005"]));
    expect((await world.runs("a")).slice(skipped.length)).toEqual(
      [5, 4, 3, 2, 1].map((count) => madeRun(noon + count * second)),
    );
  });

  test("the same while an earlier message is not delivered", async () => {
    const world = await open();
    await world.create("a", every(second, { overlap: "skip", catchUp }));
    await passLong(world);
    const skipped = await unmade(world);
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(new Set(["OVERLAP"]));
    expect(skipped.length).toBeGreaterThanOrEqual(mostOnRecord);
    expect(skipped.length).toBeLessThanOrEqual(most);
  });

  test("a backfill over the limit leaves no more either", async () => {
    const world = await open();
    await world.create("a", every(second, { startTime: noon - hour, catchUp }));
    await limitMessages(world.store, account, 5);
    await backfill(world, "a", [noon - hour, noon - second]);
    const skipped = await unmade(world);
    expect(skipped.length).toBeGreaterThanOrEqual(mostOnRecord);
    expect(skipped.length).toBeLessThanOrEqual(most);
  });

  test("a schedule goes on, and runs are made as soon as there is room", async () => {
    const world = await open();
    await world.create("a", every(second, { catchUp }));
    await limitMessages(world.store, account, 5);
    await passLong(world);
    await limitMessages(world.store, account, null);
    await world.pass(second);
    await world.advance();
    expect((await world.runs("a"))[0]).toEqual(madeRun(world.now + 5 * second));
    expect((await world.schedule("a")).lastRun).toEqual(madeRun(world.now + 5 * second));
  });
}
