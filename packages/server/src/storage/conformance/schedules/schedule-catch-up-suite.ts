import { expect, test } from "vitest";
import type { CatchUpMode } from "../../../domain/schedules/schedule.ts";
import { hour } from "../harness.ts";
import {
  at,
  every,
  hourly,
  madeRun,
  missedRun,
  noon,
  scheduleWorldsOf,
  second,
} from "./schedule-harness.ts";
import type { MakeClockedLocation } from "./schedule-harness.ts";

/** What becomes of run times that passed while nobody made runs. */
export function scheduleCatchUpSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);
  const caughtUp = (runTime: number) => madeRun(runTime, { trigger: "CATCH_UP" });

  async function openAfterGap(mode: CatchUpMode, windowMs = 366 * 24 * hour) {
    const world = await open();
    await world.create("a", hourly({ catchUp: { mode, windowMs } }));
    await world.goTo(at(15, 30));
    await world.advance();
    return world;
  }

  test("last: the latest run is made, and the others are on record", async () => {
    const world = await openAfterGap("last");
    expect(await world.runs("a")).toEqual([
      caughtUp(at(15)),
      missedRun(at(14), "NOT_CAUGHT_UP"),
      missedRun(at(13), "NOT_CAUGHT_UP"),
    ]);
    const [message] = await world.messages("a");
    expect(message).toMatchObject({ originalDeliveryTime: at(15), nextDeliveryTime: at(15) });
    expect(await world.finish()).toEqual([message!.messageId]);
    await world.liveUntil(at(16));
    expect((await world.runs("a"))[0]).toEqual(madeRun(at(16)));
    expect(await world.runs("a")).toHaveLength(4);
  });

  test("all: each run is made", async () => {
    const world = await openAfterGap("all");
    expect(await world.runs("a")).toEqual([caughtUp(at(15)), caughtUp(at(14)), caughtUp(at(13))]);
    expect(await world.finish()).toHaveLength(3);
  });

  test("none: nothing is made, and all of it is on record", async () => {
    const world = await openAfterGap("none");
    expect(await world.runs("a")).toEqual(
      [at(15), at(14), at(13)].map((time) => missedRun(time, "NOT_CAUGHT_UP")),
    );
    expect(await world.schedule("a")).toMatchObject({
      ...{ nextRunTime: at(16), lastRun: missedRun(at(15), "NOT_CAUGHT_UP") },
    });
    await world.liveUntil(at(16));
    expect((await world.runs("a"))[0]).toEqual(madeRun(at(16)));
  });

  test("what is older than the window is not made", async () => {
    const world = await openAfterGap("all", hour);
    expect(await world.runs("a")).toEqual([
      caughtUp(at(15)),
      missedRun(at(14), "TOO_OLD"),
      missedRun(at(13), "TOO_OLD"),
    ]);
  });

  test("a run that is up to ten seconds late is not missed", async () => {
    const world = await open();
    await world.create("a", hourly({ catchUp: { mode: "none", windowMs: hour } }));
    await world.goTo(at(13) + 10 * second);
    await world.advance();
    expect(await world.runs("a")).toEqual([madeRun(at(13))]);
    await world.goTo(at(14) + 10 * second + 1);
    await world.advance();
    expect((await world.runs("a"))[0]).toEqual(missedRun(at(14), "NOT_CAUGHT_UP"));
  });

  test("a bounded number of a long gap is made, and a bounded number is on record", async () => {
    const world = await open();
    const catchUp = { mode: "all", windowMs: 24 * hour } as const;
    await world.create("a", every(second, { catchUp }));
    await world.goTo(noon + hour);
    const { runs } = await world.advance();
    const kept = await world.runs("a");
    const made = kept.filter(
      ({ trigger, outcome }) => trigger === "CATCH_UP" && outcome === "CREATED",
    );
    expect(made).toHaveLength(1_000);
    const missed = kept.filter(({ outcome }) => outcome === "MISSED");
    // Those that are on time count among the latest, too.
    expect(missed.length).toBeGreaterThan(900);
    expect(missed.length).toBeLessThanOrEqual(1_000);
    expect(runs.MISSED).toBe(missed.length);
    expect(missed[0]!.runTime).toBe(made.at(-1)!.runTime - second);
    // Those of the last ten seconds and of the next five are on time.
    const onTime = kept.filter(
      ({ trigger, outcome }) => trigger === "TIME" && outcome === "CREATED",
    );
    expect(onTime.length).toBeGreaterThanOrEqual(5 + 15);
    const times = kept.map(({ runTime }) => runTime);
    expect(new Set(times).size).toBe(times.length);
    expect(times[0]).toBe(world.now + 5 * second);
  });

  test("catching up counts for the number of runs", async () => {
    const world = await open();
    const catchUp = { mode: "all", windowMs: 24 * hour } as const;
    await world.create("a", hourly({ catchUp, maxRuns: 2 }));
    await world.goTo(at(15, 30));
    await world.advance();
    expect((await world.runs("a")).filter(({ outcome }) => outcome === "CREATED")).toHaveLength(2);
    await world.liveUntil(at(18));
    expect((await world.runs("a")).filter(({ outcome }) => outcome === "CREATED")).toHaveLength(2);
    expect(await world.schedule("a")).toMatchObject({ nextRunTime: null });
  });
}
