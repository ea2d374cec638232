import { expect, test } from "vitest";
import type { ForecastSchedule } from "../../../domain/schedules/forecast/runs-to-come.ts";
import type { WalkRequest } from "../../store.ts";
import { account, note, otherAccount } from "../harness.ts";
import { at, every, hourly, minute, scheduleWorldsOf, second } from "./schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "./schedule-harness.ts";

const hour = 60 * minute;

/** What a forecast reads of schedules. */
export function scheduleWalkSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);

  /** To the end, however many calls that takes. */
  async function walk(
    { store }: ScheduleWorld,
    request: Partial<WalkRequest> = {},
  ): Promise<ForecastSchedule[]> {
    const found: ForecastSchedule[] = [];
    let after: string | null = null;
    do {
      const slice = await store.walkSchedules({
        ...{ accountId: account, targetId: null, ...request },
        after,
      });
      found.push(...slice.schedules);
      after = slice.reached;
    } while (after !== null);
    return found;
  }

  const idsOf = async (...given: Parameters<typeof walk>): Promise<string[]> =>
    (await walk(...given)).map(({ scheduleId }) => scheduleId);

  test("all schedules are walked over, in the order of their ids, each once", async () => {
    const world = await open();
    const ids = Array.from({ length: 230 }, (_, number) => `s${String(number).padStart(3, "0")}`);
    for (const scheduleId of ids.toReversed()) await world.create(scheduleId);
    expect(await idsOf(world)).toEqual(ids);
  });

  test("each says all that decides when it is due, and nothing else", async () => {
    const world = await open();
    const definition = hourly({ maxRuns: 9, except: ["2027-01-01"], flexWindowMs: 60_000 });
    await world.create("a", { ...definition, endTime: at(23) });
    await world.change("a", { kind: "skip", time: at(15) });
    const { cron, everyMs, timeZone, ...kept } = await world.schedule("a");
    const { startTime, endTime, except, creationTime, maxRuns, flexWindowMs } = kept;
    const { skips, nextRunTime, progress, accountId, scheduleId } = kept;
    expect(skips).toEqual([at(15)]);
    expect(await walk(world)).toEqual([
      {
        ...{ accountId, scheduleId, cron, everyMs, at: kept.at, timeZone, startTime, endTime },
        ...{ except, creationTime, maxRuns, flexWindowMs, skips, nextRunTime, progress },
      },
    ]);
  });

  test("one without a run to come is left out, one that is paused for a while is not", async () => {
    const world = await open();
    for (const scheduleId of ["active", "paused", "until"]) await world.create(scheduleId);
    await world.create("ended", hourly({ cron: null, at: ["2026-11-16T12:00:04"] }));
    await world.pause("paused");
    await world.pause("until", at(18));
    expect(await idsOf(world)).toEqual(["active", "until"]);
    const [, until] = await walk(world);
    expect(until!.nextRunTime).toBe(at(18));
  });

  test("only those of the target and of the account are walked over", async () => {
    const world = await open();
    await world.create("a");
    await world.create("b", hourly({ targetId: "other" }));
    await world.create("c", hourly(), otherAccount);
    expect(await idsOf(world)).toEqual(["a", "b"]);
    expect(await idsOf(world, { targetId: "other" })).toEqual(["b"]);
    expect(await idsOf(world, { targetId: "none" })).toEqual([]);
    expect(await idsOf(world, { accountId: otherAccount })).toEqual(["c"]);
    expect(await idsOf(world, { accountId: "acc_nobody" })).toEqual([]);
    await world.store.updateAccount(account, { state: "SUSPENDED" }, note());
    await world.store.removeAccount(account, note());
    expect(await idsOf(world)).toEqual([]);
  });

  test("a run is to come until it has a message", async () => {
    const world = await open();
    await world.create("a", every(hour));
    const look = async () => {
      const edges = [world.now + 1, world.now + 24 * hour];
      const request = { accountId: account, targetId: null, after: null, edges };
      const { counts } = await world.store.countMessages({ ...request, list: "scheduled" });
      const [{ nextRunTime } = { nextRunTime: null }] = await walk(world);
      return [counts[0], nextRunTime! - world.now];
    };
    const firstIn = (await look())[1]!;
    await world.pass(firstIn - 6 * second);
    await world.advance();
    expect(await look()).toEqual([0, 6 * second]);
    await world.pass(second);
    await world.advance();
    expect(await look()).toEqual([1, hour + 5 * second]);
  });
}
