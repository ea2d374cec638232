import { describe, expect, test } from "vitest";
import type { ScheduleDefinition } from "../../../domain/schedules/schedule.ts";
import type { ScheduleChange } from "../../../domain/schedules/steps.ts";
import { note } from "../harness.ts";
import { advanced } from "../jobs/job-harness.ts";
import { runInWorld, startBackfill } from "./backfill-harness.ts";
import {
  at,
  every,
  hourly,
  madeRun,
  noon,
  refOf,
  scheduleWorldsOf,
  second,
} from "./schedule-harness.ts";
import type { MakeClockedLocation } from "./schedule-harness.ts";

/** Several nodes make the runs of one store. */
export function scheduleNodesSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);

  test("nodes that advance at once make each run once", async () => {
    const world = await open();
    const another = await world.openAnother();
    const holder = await another.join("another", "all");
    for (let count = 0; count < 40; count++) await world.create(`a${count}`, every(second));
    let made = 40 * 5;
    for (let elapsed = 0; elapsed < 4; elapsed++) {
      await world.pass(second);
      const steps = await Promise.all([
        world.advanceOnce(30),
        another.advanceSchedules(holder, 30),
        world.advanceOnce(30),
        another.advanceSchedules(holder, 30),
      ]);
      for (const step of steps) made += step.runs.CREATED;
      made += (await world.advance()).runs.CREATED;
    }
    expect(made).toBe(40 * 9);
    for (let count = 0; count < 40; count++) {
      const times = (await world.runs(`a${count}`)).map(({ runTime }) => runTime);
      expect(times).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1].map((each) => noon + each * second));
    }
    await world.goTo(noon + 9 * second);
    expect(await world.finish()).toHaveLength(40 * 9);
  });

  test("a change on one node and steps on another neither lose a run nor double one", async () => {
    const world = await open();
    const another = await world.openAnother();
    const holder = await another.join("another", "all");
    await world.create("a", every(second));
    for (let elapsed = 1; elapsed <= 10; elapsed++) {
      await world.pass(second);
      await Promise.all([
        another.advanceSchedules(holder, 9),
        world.define("a", every(second, { startTime: noon, payload: String(elapsed) })),
        another.advanceSchedules(holder, 9),
      ]);
    }
    await world.advance();
    const runs = (await world.runs("a")).toReversed();
    expect(runs).toEqual(
      Array.from({ length: 15 }, (_, index) => madeRun(noon + (index + 1) * second)),
    );
    await world.goTo(noon + 15 * second);
    expect(await world.finish()).toHaveLength(15);
  });

  test("a node with older time-zone data makes nothing while one with newer data lives", async () => {
    const world = await open({ timeZoneVersion: "2025b" });
    const newer = await world.openAnother({ timeZoneVersion: "2026a" });
    const holder = await newer.join("newer", "all");
    await world.create("a", hourly());
    await world.goTo(at(13));
    expect(await world.advanceOnce()).toMatchObject({ advanced: 0 });
    expect(await world.runs("a")).toEqual([]);
    expect(await newer.advanceSchedules(holder, 9)).toMatchObject({ advanced: 1 });
    expect(await world.runs("a")).toEqual([madeRun(at(13))]);
    await world.goTo(at(14));
    expect(await world.advanceOnce()).toMatchObject({ advanced: 0 });
    await newer.leave(holder);
    expect(await world.advanceOnce()).toMatchObject({ advanced: 1 });
    expect((await world.runs("a"))[0]).toEqual(madeRun(at(14)));
  });

  describe("a node with older time-zone data than one that makes runs", () => {
    const inBerlin = (change: Partial<ScheduleDefinition> = {}) =>
      hourly({ timeZone: "Europe/Berlin", ...change });
    const refused = { kind: "older-time-zones" };

    /** Schedules "zoned" and "utc" of a node with older data, and another node with newer data. */
    async function withNewerNode(role: "all" | "api" = "all") {
      const world = await open({ timeZoneVersion: "2025b" });
      await world.create("zoned", inBerlin());
      await world.create("utc");
      const newer = await world.openAnother({ timeZoneVersion: "2026a" });
      return { world, newer, holder: await newer.join("newer", role) };
    }

    test("computes nothing for callers, and changes nothing", async () => {
      const { world, newer, holder } = await withNewerNode();
      const before = await world.schedule("zoned");
      expect(await world.tryToCreate("new", inBerlin())).toEqual(refused);
      expect(await newer.getSchedule(refOf("new"))).toBeUndefined();
      const definition = inBerlin({ cron: ["30 * * * *"] });
      const changes: ScheduleChange[] = [
        { kind: "define", definition, ifRevision: null },
        { kind: "pause", note: null, until: at(15) },
        { kind: "skip", time: at(13) },
        { kind: "trigger" },
      ];
      for (const change of changes) {
        expect(await world.tryToChange("zoned", change)).toEqual(refused);
      }
      expect(await world.schedule("zoned")).toEqual(before);
      expect(await world.runs("zoned")).toEqual([]);
      // Not even that there is no occurrence.
      const never = inBerlin({ cron: ["0 0 30 2 *"] });
      expect(await world.tryToCreate("never", never)).toEqual(refused);
      await newer.leave(holder);
      expect(await world.tryToCreate("new", inBerlin())).toMatchObject({ kind: "created" });
      expect(await world.tryToChange("zoned", changes[0]!)).toMatchObject({ kind: "changed" });
    });

    test("does what needs no time-zone data", async () => {
      const { world } = await withNewerNode();
      await world.create("new");
      await world.define("utc", hourly({ payload: "edited" }));
      // What is stored as the next time stays.
      await world.define("zoned", inBerlin({ payload: "edited" }));
      await world.pause("zoned");
      expect(await world.schedule("zoned")).toMatchObject({ pause: { until: null } });
      expect(await world.tryToChange("zoned", { kind: "resume" })).toEqual(refused);
      expect(await world.remove("zoned")).toBeDefined();
    });

    test("leaves the times to the other node, which has the newest", async () => {
      const { world, newer, holder } = await withNewerNode();
      const order = { ...refOf("new"), definition: inBerlin() };
      expect(await newer.createSchedule(order, note())).toMatchObject({ kind: "created" });
      await world.goTo(at(13));
      expect(await newer.advanceSchedules(holder, 9)).toMatchObject({ advanced: 3 });
      expect(await world.runs("new")).toEqual([madeRun(at(13))]);
    });

    test("computes beside a node that only answers callers", async () => {
      const { world } = await withNewerNode("api");
      expect(await world.tryToCreate("new", inBerlin())).toMatchObject({ kind: "created" });
    });
  });

  test("a backfill waits for a node with newer time-zone data, or until it has left", async () => {
    const world = await open({ timeZoneVersion: "2025b" });
    await world.create("a");
    const job = await startBackfill(world, "a", [at(9), at(11)]);
    const newer = await world.openAnother({ timeZoneVersion: "2026a" });
    const holder = await newer.join("newer", "all");
    const step = await advanced(world.store, world.holder, job);
    expect(step).toMatchObject({ job: { state: "RUNNING", done: 0 }, planned: [] });
    expect(step.idleMs).toBeGreaterThan(0);
    await newer.leave(holder);
    expect(await runInWorld(world, job)).toMatchObject({ state: "DONE", done: 3 });
  });

  test("steps of a backfill and of its schedule on other nodes wait for each other", async () => {
    const world = await open();
    const another = await world.openAnother();
    const holder = await another.join("another", "all");
    await world.create("a", every(second, { startTime: at(11, 40) }));
    const job = await startBackfill(world, "a", [at(11, 40), noon], { ratePerSecond: 500 });
    for (let elapsed = 1; elapsed <= 10; elapsed++) {
      await world.pass(second);
      await Promise.all([
        advanced(world.store, world.holder, job),
        another.advanceSchedules(holder, 9),
        world.change("a", { kind: "trigger" }),
      ]);
    }
    await world.advance();
    await runInWorld(world, job);
    const runs = await world.runs("a");
    expect(runs.filter(({ trigger }) => trigger === "BACKFILL")).toHaveLength(1_201);
    expect(runs.filter(({ trigger }) => trigger === "TIME")).toHaveLength(10 + 5);
    expect(runs.filter(({ trigger }) => trigger === "MANUAL")).toHaveLength(10);
  });

  test("a node that only answers callers keeps nobody from making runs, whatever data it has", async () => {
    const world = await open({ timeZoneVersion: "2025b" });
    const newer = await world.openAnother({ timeZoneVersion: "2026a" });
    await newer.join("newer", "api");
    await world.create("a", hourly());
    await world.goTo(at(13));
    expect(await world.advanceOnce()).toMatchObject({ advanced: 1 });
  });

  test("nodes with the same time-zone data all make runs", async () => {
    const world = await open({ timeZoneVersion: "2026a" });
    const another = await world.openAnother({ timeZoneVersion: "2026a" });
    const holder = await another.join("another", "all");
    await world.create("a", hourly());
    await world.goTo(at(13));
    expect(await another.advanceSchedules(holder, 9)).toMatchObject({ advanced: 1 });
    await world.goTo(at(14));
    expect(await world.advanceOnce()).toMatchObject({ advanced: 1 });
  });
}
