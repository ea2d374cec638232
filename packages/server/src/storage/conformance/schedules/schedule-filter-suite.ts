import { expect, test } from "vitest";
import { scheduleText } from "../../../domain/message-options.ts";
import type { JobFilter } from "../../../domain/job.ts";
import { someJob } from "../../../domain/testing/some-job.ts";
import { idTimesOf } from "../../../domain/message-search.ts";
import { account, otherAccount } from "../harness.ts";
import { advanced } from "../jobs/job-harness.ts";
import { runInWorld, startJobIn } from "./backfill-harness.ts";
import { at, every, noon, scheduleWorldsOf, second } from "./schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "./schedule-harness.ts";

/** Jobs and searches that name the schedule of the messages. */
export function scheduleFilterSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);
  const ofSchedule = (scheduleId: string, more: Partial<JobFilter> = {}) => ({
    filter: { targetId: null, labels: [scheduleText(scheduleId)], ...more },
  });

  /** Each schedule has made five messages. */
  async function openWithMessages(): Promise<ScheduleWorld> {
    const world = await open();
    const message = { labels: { kind: "x" } };
    await world.create("a", every(second, { message }));
    await world.create("b", every(second, { message, targetId: "other" }));
    await world.create("a", every(second), otherAccount);
    return world;
  }

  const scheduled = async (world: ScheduleWorld, scheduleId: string): Promise<number> =>
    (await world.messages(scheduleId)).filter(({ state }) => state === "SCHEDULED").length;

  test("a job changes the messages of its schedule alone", async () => {
    const world = await openWithMessages();
    await world.pass(1);
    const job = await startJobIn(world, { action: "cancel", ...ofSchedule("a") });
    expect(await runInWorld(world, job)).toMatchObject({ state: "DONE", matched: 5, done: 5 });
    expect([await scheduled(world, "a"), await scheduled(world, "b")]).toEqual([0, 5]);
    expect((await world.runs("a", otherAccount))[0]).toMatchObject({ messageState: "SCHEDULED" });
  });

  test("all conditions of the filter must hold", async () => {
    const world = await openWithMessages();
    await world.pass(1);
    const both = [scheduleText("b"), "kind:x"];
    const later = { labels: both, minTime: noon + 4 * second };
    const job = await startJobIn(world, { action: "cancel", ...ofSchedule("b", later) });
    expect(await runInWorld(world, job)).toMatchObject({ state: "DONE", done: 2 });
    const elsewhere = { targetId: "t" };
    const none = await startJobIn(world, { action: "cancel", ...ofSchedule("b", elsewhere) });
    expect(await runInWorld(world, none)).toMatchObject({ state: "DONE", matched: 0 });
    const other = { labels: [scheduleText("b"), "kind:y"] };
    const noLabel = await startJobIn(world, { action: "cancel", ...ofSchedule("b", other) });
    expect(await runInWorld(world, noLabel)).toMatchObject({ state: "DONE", matched: 0 });
    expect(await scheduled(world, "b")).toBe(3);
  });

  test("dead letters of a schedule are redriven, also once it is removed", async () => {
    const world = await open();
    await world.create("a");
    await world.create("b");
    await world.liveUntil(at(13));
    await world.finish("dead");
    const runs = await world.runs("a");
    await world.remove("a");
    await world.pass(1);
    const job = await startJobIn(world, { action: "redrive", ...ofSchedule("a") });
    const { job: after } = await advanced(world.store, world.holder, job);
    expect(after).toMatchObject({ matched: 1, done: 1 });
    const messageId = runs[0]!.messageId!;
    const found = await world.store.getMessage({ accountId: account, messageId });
    expect(found).toMatchObject({ state: "SCHEDULED" });
    expect((await world.messages("b"))[0]).toMatchObject({ state: "DEAD_LETTER" });
  });

  test("a look counts what a job would change", async () => {
    const world = await openWithMessages();
    const order = someJob({ accountId: account, ...ofSchedule("a") });
    const request = { order, time: world.now, after: null, sample: 2 };
    const look = await world.store.lookForJob(request);
    expect(look).toMatchObject({ count: 5, lookedUntil: null });
    const expected = (await world.messages("a")).slice(0, 2).map(({ messageId }) => messageId);
    expect(look.sample.map(({ messageId }) => messageId)).toEqual(expected);
  });

  test("a search finds the messages of a schedule, also once it is removed", async () => {
    const world = await openWithMessages();
    const expected = (await world.messages("a")).map(({ messageId }) => messageId);
    await world.remove("a");
    const search = {
      ...{ states: null, targetId: null, labels: [scheduleText("a")], order: "oldest" as const },
      ...{ minTime: null, maxTime: null },
    };
    const idTimes = idTimesOf(search, world.now);
    const page = { accountId: account, idTimes, after: null, limit: 100 };
    const { messages, lookedUntil } = await world.store.findMessages({ ...search, ...page });
    expect(messages.map(({ messageId }) => messageId)).toEqual(expected);
    expect(lookedUntil).toBeNull();
  });
}
