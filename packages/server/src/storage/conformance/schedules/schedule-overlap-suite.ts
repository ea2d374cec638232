import { describe, expect, test } from "vitest";
import type { Overlap } from "../../../domain/schedules/schedule.ts";
import { limitMessages, account, refTo, resultOf } from "../harness.ts";
import {
  at,
  every,
  hourly,
  madeRun,
  minute,
  missedRun,
  noon,
  scheduleWorldsOf,
  second,
  skippedRun,
} from "./schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "./schedule-harness.ts";

/** What happens at a run time while the message of the run before has not ended. */
export function scheduleOverlapSuite(makeLocation: MakeClockedLocation): void {
  const openWorld = scheduleWorldsOf(makeLocation);

  /** A schedule "a" whose run of 13:00 is due. */
  async function openWith(overlap: Overlap): Promise<ScheduleWorld> {
    const world = await openWorld();
    await world.create("a", hourly({ overlap }));
    await world.liveUntil(at(13));
    expect(await world.runs("a")).toEqual([madeRun(at(13))]);
    return world;
  }

  /** An attempt in flight ends, and another is to follow. */
  const failsOnce = async (world: ScheduleWorld, claims: Awaited<ReturnType<typeof world.claim>>) =>
    world.store.recordAttempts(
      world.holder,
      claims.map((claim) => resultOf(claim, { kind: "retry", delayMs: 10 * minute })),
    );

  describe.each(["skip", "replace", "queue"] as const)("%s", (overlap) => {
    test("makes the run ahead if the one before has ended", async () => {
      const world = await openWith(overlap);
      await world.finish("dead");
      await world.goTo(at(14) - 5 * second);
      await world.advance();
      expect(await world.runs("a")).toEqual([
        madeRun(at(14)),
        madeRun(at(13), { messageState: "DEAD_LETTER" }),
      ]);
    });

    test("makes it up to its time, if the one before ends before that", async () => {
      const world = await openWith(overlap);
      await world.goTo(at(14) - 5 * second);
      await world.advance();
      expect(await world.runs("a")).toHaveLength(1);
      await world.liveUntil(at(14) - 300);
      expect(await world.runs("a")).toHaveLength(1);
      await world.finish();
      await world.liveUntil(at(14));
      expect((await world.runs("a"))[0]).toEqual(madeRun(at(14)));
      expect((await world.messages("a"))[1]).toMatchObject({ originalDeliveryTime: at(14) });
    });
  });

  test("allow: the run is made ahead all the same", async () => {
    const world = await openWith("allow");
    await world.goTo(at(14) - 5 * second);
    await world.advance();
    expect(await world.runs("a")).toEqual([madeRun(at(14)), madeRun(at(13))]);
  });

  describe.each(["skip", "replace", "queue"] as const)("a change to %s", (overlap) => {
    const [one, two] = [noon + 4 * second, noon + 8 * second];

    /** The run after it is made ahead, and an attempt of this one is in flight. */
    async function openInFlight() {
      const world = await openWorld();
      await world.create("a", every(4 * second));
      await world.liveUntil(one + second);
      expect(await world.runs("a")).toEqual([madeRun(two), madeRun(one)]);
      return { world, claims: await world.claim() };
    }

    test("looks at the run before the one that it takes back", async () => {
      const { world, claims } = await openInFlight();
      await world.define("a", every(4 * second, { overlap }));
      await world.liveUntil(two - second);
      expect(await world.runs("a")).toEqual([madeRun(one)]);
      await world.record(claims, "delivered");
      await world.liveUntil(two);
      expect((await world.runs("a"))[0]).toEqual(madeRun(two));
    });

    test("looks at it also after a pause", async () => {
      const { world, claims } = await openInFlight();
      await world.pause("a");
      await world.define("a", every(4 * second, { overlap }));
      await world.resume("a");
      await world.liveUntil(two - second);
      expect(await world.runs("a")).toEqual([madeRun(one)]);
      await failsOnce(world, claims);
      await world.liveUntil(two);
      const after = {
        skip: [skippedRun(two, "OVERLAP"), madeRun(one)],
        replace: [madeRun(two), madeRun(one, { messageState: "CANCELLED" })],
        queue: [madeRun(one)],
      };
      expect(await world.runs("a")).toEqual(after[overlap]);
    });

    test("meets it in the same commit, if a run is due", async () => {
      const world = await openWorld();
      await world.create("a", every(4 * second));
      await world.liveUntil(one + second);
      const [before, moved] = await world.messages("a");
      const later = { deliveryTime: at(13), waitMs: 0 };
      await world.store.rescheduleMessage({ ...refTo(moved!), ...later });
      await world.goTo(noon + 12 * second);
      await world.define("a", every(12 * second, { overlap }));
      expect((await world.runs("a")).slice(-2)).toEqual([
        skippedRun(two, "EDITED"),
        madeRun(one, { messageState: overlap === "replace" ? "CANCELLED" : "SCHEDULED" }),
      ]);
      expect(await world.finish()).toEqual([
        overlap === "replace" ? expect.not.stringMatching(before!.messageId) : before!.messageId,
      ]);
    });
  });

  describe("skip", () => {
    test("leaves the run out if the message before is still scheduled", async () => {
      const world = await openWith("skip");
      await world.liveUntil(at(14) - 1);
      expect(await world.runs("a")).toEqual([madeRun(at(13))]);
      await world.liveUntil(at(14));
      expect(await world.runs("a")).toEqual([skippedRun(at(14), "OVERLAP"), madeRun(at(13))]);
      expect(await world.schedule("a")).toMatchObject({ nextRunTime: at(15) });
      await world.finish();
      await world.liveUntil(at(15));
      expect((await world.runs("a"))[0]).toEqual(madeRun(at(15)));
    });

    test("leaves it out if an attempt is in flight", async () => {
      const world = await openWith("skip");
      const claims = await world.claim();
      await world.liveUntil(at(14));
      expect((await world.runs("a"))[0]).toEqual(skippedRun(at(14), "OVERLAP"));
      await world.record(claims, "delivered");
      await world.liveUntil(at(15));
      expect((await world.runs("a"))[0]).toEqual(madeRun(at(15)));
    });
  });

  describe("replace", () => {
    test("cancels the message before at the time of the run, in its favour", async () => {
      const world = await openWith("replace");
      await world.liveUntil(at(14) - 1);
      expect(await world.messages("a")).toMatchObject([{ state: "SCHEDULED" }]);
      await world.liveUntil(at(14));
      expect(await world.runs("a")).toEqual([
        madeRun(at(14)),
        madeRun(at(13), { messageState: "CANCELLED" }),
      ]);
      const [before, after] = await world.messages("a");
      expect(before).toMatchObject({ endReason: "REPLACED", cancellationTime: at(14) });
      expect(await world.finish()).toEqual([after!.messageId]);
    });

    test("waits for an attempt in flight, and makes the run after a delivery", async () => {
      const world = await openWith("replace");
      const claims = await world.claim();
      await world.liveUntil(at(14) + 10 * second);
      expect(await world.runs("a")).toHaveLength(1);
      await world.record(claims, "delivered");
      await world.liveUntil(at(14) + 12 * second);
      expect(await world.runs("a")).toEqual([
        madeRun(at(14)),
        madeRun(at(13), { messageState: "DELIVERED" }),
      ]);
    });

    test("waits for an attempt in flight, and replaces the message after a failure", async () => {
      const world = await openWith("replace");
      const claims = await world.claim();
      await world.liveUntil(at(14) + 2 * second);
      expect(await world.runs("a")).toHaveLength(1);
      await failsOnce(world, claims);
      await world.liveUntil(at(14) + 4 * second);
      expect(await world.runs("a")).toEqual([
        madeRun(at(14)),
        madeRun(at(13), { messageState: "CANCELLED" }),
      ]);
    });

    test("leaves the message before alone if no other can be made", async () => {
      const world = await openWith("replace");
      await limitMessages(world.store, account, 1);
      await world.liveUntil(at(14));
      expect(await world.runs("a")).toEqual([skippedRun(at(14), "E-DI-5005"), madeRun(at(13))]);
      expect(await world.finish()).toHaveLength(1);
    });
  });

  describe("queue", () => {
    test("what comes while nobody looks was missed, what waited before is made", async () => {
      const world = await openWorld();
      const catchUp = { mode: "none", windowMs: 60 * minute } as const;
      await world.create("a", every(20 * second, { overlap: "queue", catchUp }));
      await world.liveUntil(noon + 50 * second);
      await world.reopen();
      await world.goTo(noon + 115 * second);
      await world.liveUntil(noon + 125 * second);
      for (let count = 0; count < 3; count++) {
        expect(await world.finish()).toHaveLength(1);
        await world.liveUntil(world.now + 2 * second);
      }
      const delivered = { messageState: "DELIVERED" } as const;
      expect(await world.runs("a")).toEqual([
        madeRun(noon + 120 * second, delivered),
        ...[100, 80, 60].map((each) => missedRun(noon + each * second, "NOT_CAUGHT_UP")),
        ...[40, 20].map((each) => madeRun(noon + each * second, delivered)),
      ]);
    });

    test("makes the run once the message before has ended, as one of its own time", async () => {
      const world = await openWith("queue");
      await world.liveUntil(at(14) + 30 * second);
      expect(await world.runs("a")).toEqual([madeRun(at(13))]);
      expect(await world.schedule("a")).toMatchObject({ nextRunTime: at(14) });
      await world.finish();
      await world.liveUntil(at(14) + 32 * second);
      expect((await world.runs("a"))[0]).toEqual(madeRun(at(14)));
      expect((await world.messages("a"))[1]).toMatchObject({
        ...{ originalDeliveryTime: at(14), state: "SCHEDULED" },
      });
    });

    test("makes those that wait one by one, in their order", async () => {
      const world = await openWorld();
      await world.create("a", every(5 * second, { overlap: "queue" }));
      await world.liveUntil(noon + 21 * second);
      const all = [20, 15, 10, 5].map((each) => noon + each * second);
      expect(await world.runs("a")).toEqual([madeRun(all[3]!)]);
      const made: number[][] = [];
      for (let count = 0; count < 3; count++) {
        await world.finish();
        await world.pass(second);
        await world.advance();
        made.push((await world.runs("a")).map(({ runTime }) => runTime));
      }
      expect(made).toEqual([all.slice(2), all.slice(1), all]);
      expect((await world.runs("a")).every(({ trigger }) => trigger === "TIME")).toBe(true);
      await world.finish();
      await world.liveUntil(noon + 25 * second);
      expect((await world.runs("a"))[0]).toEqual(madeRun(noon + 25 * second));
    });

    test("waits for an attempt in flight as for a message that waits", async () => {
      const world = await openWith("queue");
      const claims = await world.claim();
      await world.liveUntil(at(14) + second);
      await failsOnce(world, claims);
      await world.liveUntil(at(14) + 10 * second);
      expect(await world.runs("a")).toHaveLength(1);
      await world.goTo(at(14, 12));
      await world.finish();
      await world.advance();
      expect((await world.runs("a"))[0]).toEqual(madeRun(at(14)));
    });
  });
}
