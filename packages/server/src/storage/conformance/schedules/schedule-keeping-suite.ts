import { describe, expect, test } from "vitest";
import { account, entriesOf, hour, makeTarget, note, otherAccount } from "../harness.ts";
import type { ListSchedulesRequest } from "../../store.ts";
import { at, every, hourly, madeRun, noon, refOf, scheduleWorldsOf } from "./schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "./schedule-harness.ts";

/** Schedules as records: how they begin, are read, and go. */
export function scheduleKeepingSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);

  describe("the start", () => {
    test("a schedule is kept as it was defined, with an audit entry, also after a restart", async () => {
      const world = await open();
      const definition = hourly({
        payload: "a 'payload' \u0000 🙂",
        message: { labels: { a: "1" }, timeoutMs: 500 },
        cron: ["0 9 * * MON-FRI", "30 9 * * SAT"],
        timeZone: "Europe/Berlin",
        startTime: at(13),
        endTime: at(13) + 1_000 * hour,
        maxRuns: 7,
        except: ["2026-12-24", "2026-12-25T09:00"],
        flexWindowMs: 5,
        overlap: "skip",
        catchUp: { mode: "all", windowMs: 5 },
        pauseAfterDeadLetters: 3,
      });
      const entry = note({ action: "schedule.created", subjectId: "digest" });
      const order = { accountId: account, scheduleId: "digest", definition };
      const result = await world.store.createSchedule(order, entry);
      if (result.kind !== "created") throw new Error(result.kind);
      expect(result).toMatchObject({ planned: [], nextBound: null });
      const { progress, ...created } = result.schedule;
      expect(created).toEqual({
        ...definition,
        ...{ accountId: account, scheduleId: "digest", revision: 1 },
        ...{ creationTime: noon, updateTime: noon, pause: null, skips: [], lastRun: null },
        // Nine o'clock in Berlin, on the next day.
        nextRunTime: Date.UTC(2026, 10, 17, 8),
      });
      expect(progress).toMatchObject({ cursor: noon, madeRuns: 0, isQueueing: false });
      expect((await entriesOf(world.store))[0]).toMatchObject(entry);
      expect(await world.schedule("digest")).toEqual(result.schedule);
      await world.reopen();
      expect(await world.schedule("digest")).toEqual(result.schedule);
    });

    test("an id is taken once in an account", async () => {
      const world = await open();
      const first = await world.create("a");
      const entries = (await entriesOf(world.store)).length;
      expect(await world.tryToCreate("a", hourly({ payload: "other" }))).toEqual({
        kind: "exists",
      });
      expect(await entriesOf(world.store)).toHaveLength(entries);
      expect(await world.schedule("a")).toEqual(first);
      await world.create("a", hourly(), otherAccount);
      await world.create("A");
    });

    test("of many at once with one id, one begins", async () => {
      const world = await open();
      const tries = Array.from({ length: 8 }, (_, index) =>
        world.tryToCreate("a", every(1_000, { payload: String(index) })),
      );
      const kinds = (await Promise.all(tries)).map(({ kind }) => kind);
      expect(kinds.toSorted()).toEqual(["created", ...Array.from({ length: 7 }, () => "exists")]);
      expect(await world.runs("a")).toHaveLength(5);
    });

    test("a target that is unknown, removed, or of another account is none", async () => {
      const world = await open();
      await makeTarget(world.store, "theirs", { accountId: otherAccount });
      await world.store.removeTarget({ accountId: account, targetId: "other" }, note());
      const entries = (await entriesOf(world.store, null)).length;
      for (const targetId of ["unknown", "other", "theirs"]) {
        expect(await world.tryToCreate("a", hourly({ targetId }))).toEqual({ kind: "no-target" });
      }
      expect(await world.tryToCreate("a", hourly(), "acc_x")).toEqual({ kind: "no-target" });
      expect(await world.store.getSchedule(refOf("a"))).toBeUndefined();
      expect(await entriesOf(world.store, null)).toHaveLength(entries);
    });

    test("a schedule that never occurs is refused", async () => {
      const world = await open();
      const never = [
        hourly({ cron: ["0 0 30 2 *"] }),
        hourly({ endTime: noon }),
        hourly({ cron: null, at: ["2026-11-16T12:00:00", "2020-01-01T00:00"] }),
        hourly({ except: ["2026-11-16"], endTime: at(23) }),
      ];
      for (const definition of never) {
        expect(await world.tryToCreate("a", definition)).toEqual({ kind: "no-occurrence" });
      }
      expect(await world.store.getSchedule(refOf("a"))).toBeUndefined();
    });
  });

  describe("reading", () => {
    test("a schedule is found by its own account alone", async () => {
      const world = await open();
      await world.create("a");
      for (const ref of [refOf("b"), refOf("a", otherAccount), refOf("a", "acc_x")]) {
        expect(await world.store.getSchedule(ref)).toBeUndefined();
        const page = { before: null, limit: 9 };
        expect(await world.store.listRuns({ ...ref, ...page })).toBeUndefined();
      }
    });

    test("the last run tells the state of its message", async () => {
      const world = await open({ now: at(12, 59, 57_000) });
      const created = await world.create("a");
      expect(created.lastRun).toEqual(madeRun(at(13)));
      await world.goTo(at(13));
      await world.finish();
      expect((await world.schedule("a")).lastRun).toEqual(
        madeRun(at(13), { messageState: "DELIVERED" }),
      );
    });
  });

  describe("lists", () => {
    const list = async (world: ScheduleWorld, asked: Partial<ListSchedulesRequest> = {}) => {
      const all = { accountId: account, targetId: null, paused: null, after: null, limit: 100 };
      const found = await world.store.listSchedules({ ...all, ...asked });
      return found.map(({ scheduleId }) => scheduleId);
    };

    test("are by id, in the order of its bytes, in pages", async () => {
      const world = await open();
      const inOrder = ["-x", "0", "B", "_x", "a", "a-b", "aB", "ab", "b"];
      for (const id of inOrder.toReversed()) await world.create(id);
      await world.create("theirs", hourly(), otherAccount);
      expect(await list(world)).toEqual(inOrder);
      expect(await list(world, { limit: 4 })).toEqual(inOrder.slice(0, 4));
      expect(await list(world, { after: "_x", limit: 4 })).toEqual(inOrder.slice(4, 8));
      expect(await list(world, { after: "b" })).toEqual([]);
      expect(await list(world, { accountId: otherAccount })).toEqual(["theirs"]);
      expect(await list(world, { accountId: "acc_x" })).toEqual([]);
    });

    test("hold the schedules whole, but for their payloads", async () => {
      const world = await open({ now: at(12, 59, 57_000) });
      const long = hourly({ payload: "long".repeat(5_000) });
      const { payload: _, ...listed } = await world.create("a", long);
      const all = { accountId: account, targetId: null, paused: null, after: null, limit: 9 };
      expect(await world.store.listSchedules(all)).toEqual([listed]);
    });

    test("may be of one target, of paused ones, or of those that are not", async () => {
      const world = await open();
      for (const id of ["a", "b", "c", "d"]) {
        await world.create(id, hourly({ targetId: id < "c" ? "t" : "other" }));
      }
      await world.pause("b");
      await world.pause("d");
      expect(await list(world, { targetId: "t" })).toEqual(["a", "b"]);
      expect(await list(world, { targetId: "other", after: "c" })).toEqual(["d"]);
      expect(await list(world, { targetId: "unknown" })).toEqual([]);
      expect(await list(world, { paused: true })).toEqual(["b", "d"]);
      expect(await list(world, { paused: true, after: "b", limit: 1 })).toEqual(["d"]);
      expect(await list(world, { paused: false })).toEqual(["a", "c"]);
      expect(await list(world, { targetId: "t", paused: true })).toEqual(["b"]);
      expect(await list(world, { targetId: "other", paused: false, limit: 1 })).toEqual(["c"]);
      await world.resume("b");
      await world.define("a", hourly({ targetId: "other" }));
      expect(await list(world, { targetId: "t" })).toEqual(["b"]);
      expect(await list(world, { paused: true })).toEqual(["d"]);
    });
  });

  describe("the removal", () => {
    test("takes the schedule and its runs, and says what was removed", async () => {
      const world = await open();
      await world.create("a");
      await world.create("b");
      await world.liveUntil(at(14, 30));
      const before = await world.schedule("a");
      const entry = note({ action: "schedule.removed", subjectId: "a" });
      expect(await world.store.removeSchedule(refOf("a"), entry)).toEqual(before);
      expect((await entriesOf(world.store))[0]).toMatchObject(entry);
      expect(await world.store.getSchedule(refOf("a"))).toBeUndefined();
      const page = { before: null, limit: 9 };
      expect(await world.store.listRuns({ ...refOf("a"), ...page })).toBeUndefined();
      const entries = (await entriesOf(world.store)).length;
      expect(await world.remove("a")).toBeUndefined();
      expect(await world.store.removeSchedule(refOf("b", otherAccount), note())).toBeUndefined();
      expect(await entriesOf(world.store)).toHaveLength(entries);
      await world.liveUntil(at(16, 30));
      expect(await world.runs("b")).toHaveLength(4);
    });

    test("cancels what is not due yet, and leaves what is", async () => {
      const world = await open();
      await world.create("a", every(2_000));
      await world.liveUntil(noon + 2_000);
      const [due, ...early] = await world.messages("a");
      expect(early).toHaveLength(2);
      await world.remove("a");
      const state = async ({ messageId }: { readonly messageId: string }) =>
        (await world.store.getMessage({ accountId: account, messageId }))!;
      expect(await state(due!)).toMatchObject({ state: "SCHEDULED" });
      for (const message of early) {
        expect(await state(message)).toMatchObject({
          ...{ state: "CANCELLED", cancellationTime: world.now, endReason: null },
        });
      }
      expect(await world.finish()).toEqual([due!.messageId]);
      await world.liveUntil(noon + 60_000);
      expect(await world.finish()).toEqual([]);
    });

    test("a schedule with the id of a removed one begins anew", async () => {
      const world = await open();
      await world.create("a", hourly({ maxRuns: 2 }));
      await world.liveUntil(at(14, 30));
      expect(await world.runs("a")).toHaveLength(2);
      await world.remove("a");
      const again = await world.create("a", hourly({ maxRuns: 2, payload: "again" }));
      expect(again).toMatchObject({ revision: 1, creationTime: at(14, 30), lastRun: null });
      expect(await world.runs("a")).toEqual([]);
      await world.liveUntil(at(17, 30));
      expect((await world.runs("a")).map(({ runTime }) => runTime)).toEqual([at(16), at(15)]);
    });
  });
}
