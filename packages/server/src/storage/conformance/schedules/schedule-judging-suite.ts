import { describe, expect, test } from "vitest";
import { account, entriesOf, hour } from "../harness.ts";
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

/** What the ends of the messages mean for their schedule, and when runs leave the record. */
export function scheduleJudgingSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);

  describe("dead letters in a row", () => {
    async function openWith(pauseAfterDeadLetters: number | null): Promise<ScheduleWorld> {
      const world = await open();
      await world.create("a", hourly({ pauseAfterDeadLetters }));
      return world;
    }

    /** The next run is made, and its message ends. */
    async function nextRun(world: ScheduleWorld, outcome: "delivered" | "dead"): Promise<string[]> {
      await world.liveUntil((await world.schedule("a")).nextRunTime!);
      expect(await world.finish(outcome)).toHaveLength(1);
      await world.pass(10 * second);
      return world.judge();
    }

    test("pause the schedule, by the service's own word", async () => {
      const world = await openWith(2);
      expect(await nextRun(world, "dead")).toEqual([]);
      expect(await world.schedule("a")).toMatchObject({ pause: null });
      expect(await nextRun(world, "dead")).toEqual(["a"]);
      const { pause, nextRunTime } = await world.schedule("a");
      expect(pause).toEqual({ time: world.now, note: null, until: null, reason: "DEAD_LETTERS" });
      expect(nextRunTime).toBeNull();
      const [entry] = await entriesOf(world.store);
      expect(entry).toMatchObject({
        ...{ action: "schedule.paused", subjectId: "a", accountId: account, requestId: null },
        actor: { kind: "service", id: "postdate" },
      });
      expect(await world.judge()).toEqual([]);
      await world.liveUntil(at(17));
      expect(await world.runs("a")).toHaveLength(2);
    });

    test("are counted from the last delivery", async () => {
      const world = await openWith(2);
      const outcomes = ["dead", "delivered", "dead", "delivered", "dead"] as const;
      for (const outcome of outcomes) expect(await nextRun(world, outcome)).toEqual([]);
      expect(await nextRun(world, "dead")).toEqual(["a"]);
    });

    test("are counted anew after a resume", async () => {
      const world = await openWith(2);
      await nextRun(world, "dead");
      expect(await nextRun(world, "dead")).toEqual(["a"]);
      await world.resume("a");
      expect(await nextRun(world, "dead")).toEqual([]);
      expect(await nextRun(world, "dead")).toEqual(["a"]);
    });

    test("do not matter without a number", async () => {
      const world = await openWith(null);
      for (let count = 0; count < 3; count++) expect(await nextRun(world, "dead")).toEqual([]);
    });

    test("a cancelled message does not count", async () => {
      const world = await openWith(2);
      await nextRun(world, "dead");
      await world.liveUntil(at(14));
      const [, next] = await world.messages("a");
      const { messageId } = next!;
      const cancel = { accountId: account, messageId, waitMs: 0 };
      expect(await world.store.cancelMessage(cancel)).toMatchObject({ kind: "changed" });
      await world.pass(10 * second);
      expect(await world.judge()).toEqual([]);
      expect(await nextRun(world, "dead")).toEqual(["a"]);
    });

    test("a message that ends late counts then", async () => {
      const world = await openWith(1);
      await world.liveUntil(at(13));
      const claims = await world.claim();
      for (let count = 0; count < 20; count++) {
        await world.pass(minute);
        expect(await world.judge()).toEqual([]);
      }
      await world.record(claims, "dead");
      await world.pass(10 * minute);
      expect(await world.judge()).toEqual(["a"]);
    });

    test("several that ended together count in the order of their runs", async () => {
      const world = await open();
      await world.create("a", every(second, { pauseAfterDeadLetters: 3, maxRuns: 5 }));
      await world.goTo(noon + 5 * second);
      const claims = await world.claim();
      const inOrder = claims.toSorted((one, other) => one.dueAt - other.dueAt);
      const record = (these: readonly number[], outcome: "delivered" | "dead") =>
        world.record(
          these.map((index) => inOrder[index]!),
          outcome,
        );
      await record([4, 0, 1], "dead");
      await record([2], "delivered");
      await record([3], "dead");
      await world.pass(10 * second);
      expect(await world.judge()).toEqual([]);
      expect(await world.schedule("a")).toMatchObject({ progress: { deadLettersInARow: 2 } });
    });

    test("those that end one by one count in the order of their runs, too", async () => {
      const world = await open();
      const definition = every(second, { pauseAfterDeadLetters: 2, maxRuns: 5 });
      for (const id of ["apart", "together"]) await world.create(id, definition);
      await world.goTo(noon + 5 * second);
      const claims = await world.claim();
      const ends = {
        apart: ["1 delivered", "2 dead", "0 dead", "3 delivered", "4 dead"],
        together: ["1 dead", "0 delivered", "2 dead"],
      };
      const paused: string[] = [];
      for (const [id, inTurn] of Object.entries(ends)) {
        const messages = await world.messages(id);
        for (const end of inTurn) {
          const [index, outcome] = end.split(" ") as [string, "delivered" | "dead"];
          const { messageId } = messages[Number(index)]!;
          await world.record(
            claims.filter((claim) => claim.messageId === messageId),
            outcome,
          );
          await world.pass(10 * minute);
          paused.push(...(await world.judge()));
        }
      }
      expect(paused).toEqual(["together"]);
    });

    test("a removed schedule is not judged", async () => {
      const world = await openWith(1);
      await world.liveUntil(at(13));
      await world.remove("a");
      await world.finish("dead");
      await world.create("a", hourly({ pauseAfterDeadLetters: 1 }));
      await world.pass(10 * second);
      expect(await world.judge()).toEqual([]);
      expect(await world.schedule("a")).toMatchObject({ pause: null });
    });

    test("only a membership that lasts judges", async () => {
      const world = await openWith(1);
      await world.liveUntil(at(13));
      await world.finish("dead");
      const ended = world.holder;
      world.holder = await world.store.join("node", "all");
      await world.pass(10 * second);
      expect(await world.store.judgeRuns(ended, 9)).toEqual({ looked: 0, paused: [] });
      expect(await world.judge()).toEqual(["a"]);
    });
  });

  describe("the record", () => {
    const removeAll = async ({ store, now }: ScheduleWorld) => {
      for (;;) {
        const { removed, nextExpiry } = await store.removeExpired(100);
        if (removed === 0 && (nextExpiry === null || nextExpiry > now)) return nextExpiry;
      }
    };

    test("runs leave it after the retention, whether or not they are removed yet", async () => {
      const world = await open({ retentionMs: hour });
      await world.create("a");
      await world.change("a", { kind: "skip", time: at(14) });
      await world.liveUntil(at(13));
      await world.finish();
      await world.liveUntil(at(14));
      expect(await world.runs("a")).toEqual([skippedRun(at(14), "REQUESTED")]);
      expect(await removeAll(world)).toBe(at(15));
      await world.goTo(at(14, 30));
      expect(await world.runs("a")).toEqual([skippedRun(at(14), "REQUESTED")]);
      await world.pause("a");
      await world.goTo(at(15));
      expect(await world.runs("a")).toEqual([]);
      await removeAll(world);
      expect(await world.runs("a")).toEqual([]);
    });

    test("the schedule keeps its last run, without the message that has expired", async () => {
      const world = await open({ retentionMs: hour });
      await world.create("a", hourly({ maxRuns: 1 }));
      await world.liveUntil(at(13));
      await world.finish();
      await world.goTo(at(15));
      expect((await world.schedule("a")).lastRun).toEqual(madeRun(at(13), { messageState: null }));
      await removeAll(world);
      expect((await world.schedule("a")).lastRun).toEqual(madeRun(at(13), { messageState: null }));
    });

    test("also if the one after it was made ahead, and is taken back", async () => {
      const world = await open({ retentionMs: minute });
      await world.create("a", hourly());
      await world.liveUntil(at(13));
      await world.finish();
      await world.liveUntil(at(14) - second);
      await removeAll(world);
      expect((await world.schedule("a")).lastRun).toEqual(madeRun(at(14)));
      const { schedule } = await world.pause("a");
      expect(schedule.lastRun).toEqual(madeRun(at(13), { messageState: null }));
      expect(await world.schedule("a")).toEqual(schedule);
    });

    test("a run whose message is still to be delivered stays, and can be taken back", async () => {
      const world = await open({ retentionMs: second });
      const id = await world.createDelayed();
      await world.pass(minute);
      await removeAll(world);
      expect(await world.runs(id)).toEqual([madeRun(at(13))]);
      await world.pause(id);
      expect(await world.runs(id)).toEqual([skippedRun(at(13), "PAUSED")]);
    });
  });
}
