import { describe, expect, test } from "vitest";
import { account, entriesOf, hour, refTo } from "../harness.ts";
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
import type { MakeClockedLocation } from "./schedule-harness.ts";

/** A schedule gets another definition. */
export function scheduleEditSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);

  test("the definition is replaced whole, and what came of the schedule stays", async () => {
    const world = await open();
    const created = await world.create("a", hourly({ message: { labels: { a: "1" } } }));
    await world.liveUntil(at(13, 10));
    const definition = every(40 * minute, { targetId: "other", payload: "new", startTime: at(10) });
    const { schedule, run } = await world.define("a", definition);
    expect(run).toBeNull();
    expect(schedule).toMatchObject({
      ...{ ...definition, revision: 2, creationTime: created.creationTime },
      ...{ updateTime: at(13, 10), nextRunTime: at(13, 20), lastRun: madeRun(at(13)) },
    });
    expect(await world.schedule("a")).toEqual(schedule);
    await world.liveUntil(at(14));
    expect(await world.runs("a")).toEqual(
      [at(14), at(13, 20), at(13)].map((time) => madeRun(time)),
    );
    const messages = await world.messages("a");
    expect(messages.map(({ targetId }) => targetId)).toEqual(["t", "other", "other"]);
    expect(await world.store.getPayload(refTo(messages[1]!))).toBe("new");
  });

  describe("what was made and is not due", () => {
    test("is made again by the new definition", async () => {
      const world = await open();
      await world.create("a");
      await world.liveUntil(at(13) - 2 * second);
      const [before] = await world.messages("a");
      const { planned } = await world.define("a", hourly({ payload: "new" }));
      const { targetKey } = world;
      expect(planned).toEqual([{ accountId: account, targetKey, dueAt: at(13) }]);
      expect(await world.runs("a")).toEqual([madeRun(at(13))]);
      expect(await world.store.getMessage(refTo(before!))).toBeUndefined();
      await world.goTo(at(13));
      const claims = await world.claim();
      expect(claims.map(({ payload }) => payload)).toEqual(["new"]);
      await world.liveUntil(at(14));
      expect(await world.runs("a")).toHaveLength(2);
    });

    test("is gone if the new definition has no such run time", async () => {
      const world = await open();
      await world.create("a");
      await world.liveUntil(at(13) - 2 * second);
      await world.define("a", hourly({ cron: ["30 * * * *"] }));
      expect(await world.runs("a")).toEqual([]);
      expect(await world.schedule("a")).toMatchObject({ nextRunTime: at(13, 30), lastRun: null });
      await world.liveUntil(at(14));
      expect(await world.runs("a")).toEqual([madeRun(at(13, 30))]);
      expect(await world.finish()).toHaveLength(1);
    });

    test("is made again also if it waits in its window", async () => {
      const world = await open();
      const id = await world.createDelayed();
      await world.pass(minute);
      await world.define(id, hourly({ flexWindowMs: hour, payload: "new" }));
      expect(await world.runs(id)).toEqual([madeRun(at(13))]);
      await world.goTo(at(13, 59));
      const claims = await world.claim();
      expect(claims.map(({ payload }) => payload)).toEqual(["new"]);
    });

    test("is made again and due at once if the new window is over", async () => {
      const world = await open();
      const id = await world.createDelayed();
      await world.pass(5 * minute);
      await world.define(id, hourly({ payload: "new" }));
      expect(await world.runs(id)).toEqual([madeRun(at(13))]);
      const claims = await world.claim();
      expect(claims.map(({ payload }) => payload)).toEqual(["new"]);
    });

    test("in its window, without such a run time in the new definition: its run says so", async () => {
      const world = await open();
      const id = await world.createDelayed();
      await world.pass(minute);
      await world.define(id, hourly({ cron: ["30 * * * *"] }));
      expect(await world.runs(id)).toEqual([skippedRun(at(13), "EDITED")]);
      await world.liveUntil(at(14, 30));
      expect((await world.runs(id)).map(({ runTime }) => runTime)).toEqual([
        at(14, 30),
        at(13, 30),
        at(13),
      ]);
    });
  });

  test("what is due stays as it is, and no run is made twice", async () => {
    const world = await open();
    await world.create("a");
    await world.liveUntil(at(13));
    const [message] = await world.messages("a");
    await world.define("a", hourly({ payload: "new" }));
    expect(await world.messages("a")).toEqual([message]);
    expect(await world.schedule("a")).toMatchObject({ nextRunTime: at(14) });
    expect(await world.finish()).toEqual([message!.messageId]);
  });

  test("run times before the edit do not count for the new definition", async () => {
    const world = await open();
    await world.create("a", hourly({ cron: ["0 20 * * *"] }));
    await world.goTo(at(15, 30));
    const { schedule } = await world.define(
      "a",
      hourly({ catchUp: { mode: "all", windowMs: hour } }),
    );
    expect(schedule.nextRunTime).toBe(at(16));
    await world.liveUntil(at(16));
    expect(await world.runs("a")).toEqual([madeRun(at(16))]);
  });

  test("the number of runs counts what was made and not taken back", async () => {
    const world = await open();
    await world.create("a", hourly({ maxRuns: 2 }));
    await world.liveUntil(at(14) - second);
    expect(await world.schedule("a")).toMatchObject({ nextRunTime: null });
    await world.define("a", hourly({ cron: ["30 * * * *"], maxRuns: 2 }));
    expect(await world.schedule("a")).toMatchObject({ nextRunTime: at(14, 30) });
    await world.liveUntil(at(18));
    expect(await world.runs("a")).toEqual([madeRun(at(14, 30)), madeRun(at(13))]);
  });

  test("a paused schedule stays paused", async () => {
    const world = await open();
    await world.create("a");
    await world.pause("a");
    const { schedule } = await world.define("a", every(second));
    expect(schedule).toMatchObject({ pause: { reason: "REQUESTED" }, nextRunTime: null });
    await world.liveUntil(noon + minute);
    expect(await world.runs("a")).toEqual([]);
  });

  test("called-off times that are none any more are forgotten", async () => {
    const world = await open();
    await world.create("a", hourly({ cron: ["0,30 * * * *"] }));
    await world.change("a", { kind: "skip", time: at(14) });
    await world.change("a", { kind: "skip", time: at(14, 30) });
    const { schedule } = await world.define("a", hourly());
    expect(schedule.skips).toEqual([at(14)]);
  });

  describe("a revision", () => {
    test("that is not the current one is refused, with the schedule as it is", async () => {
      const world = await open();
      await world.create("a");
      await world.define("a", hourly({ payload: "second" }));
      const entries = (await entriesOf(world.store)).length;
      const definition = hourly({ payload: "third" });
      const stale = await world.tryToChange("a", { kind: "define", definition, ifRevision: 1 });
      expect(stale).toEqual({ kind: "revised", schedule: await world.schedule("a") });
      expect(await world.schedule("a")).toMatchObject({ payload: "second", revision: 2 });
      expect(await entriesOf(world.store)).toHaveLength(entries);
      const right = await world.tryToChange("a", { kind: "define", definition, ifRevision: 2 });
      expect(right).toMatchObject({ kind: "changed", schedule: { payload: "third", revision: 3 } });
      expect(await entriesOf(world.store)).toHaveLength(entries + 1);
    });

    test("is right for one of many changes at once", async () => {
      const world = await open();
      await world.create("a");
      const changes = ["b", "c", "d", "e"].map((payload) =>
        world.tryToChange("a", { kind: "define", definition: hourly({ payload }), ifRevision: 1 }),
      );
      const kinds = (await Promise.all(changes)).map(({ kind }) => kind);
      expect(kinds.toSorted()).toEqual(["changed", "revised", "revised", "revised"]);
      expect(await world.schedule("a")).toMatchObject({ revision: 2 });
    });

    test("does not grow with the runs", async () => {
      const world = await open();
      await world.create("a");
      await world.liveUntil(at(15));
      expect(await world.schedule("a")).toMatchObject({ revision: 1, updateTime: noon });
    });
  });

  test("another overlap rule asks about the run before, also if the old rule did not", async () => {
    const world = await open();
    await world.create("a", every(minute));
    await world.liveUntil(noon + minute);
    await world.goTo(noon + 2 * minute - second);
    await world.define("a", every(minute, { startTime: noon, overlap: "skip" }));
    await world.liveUntil(noon + 2 * minute);
    expect((await world.runs("a"))[0]).toEqual(skippedRun(noon + 2 * minute, "OVERLAP"));
  });

  test("what cannot be is refused, and nothing changes", async () => {
    const world = await open();
    const before = await world.create("a");
    const entries = (await entriesOf(world.store)).length;
    const change = (definition = hourly()) =>
      ({ kind: "define", definition, ifRevision: null }) as const;
    const unknown = change(hourly({ targetId: "unknown" }));
    expect(await world.tryToChange("a", unknown)).toEqual({ kind: "no-target" });
    const never = change(hourly({ cron: ["0 0 30 2 *"] }));
    expect(await world.tryToChange("a", never)).toEqual({ kind: "no-occurrence" });
    expect(await world.tryToChange("b", change())).toEqual({ kind: "not-found" });
    expect(await world.schedule("a")).toEqual(before);
    expect(await entriesOf(world.store)).toHaveLength(entries);
  });
}
