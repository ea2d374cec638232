import { expect, test } from "vitest";
import { operatedService } from "../../server/test/support/operated-service.ts";
import { farAway } from "../../server/test/support/shared-service.ts";
import { rootKey } from "../../server/test/support/server-process.ts";
import { Postdate } from "../src/index.ts";
import { verify } from "../src/webhook/index.ts";

const service = operatedService();
const client = (): Postdate => new Postdate({ url: service.server.url, key: rootKey });

const yearly = { cron: "0 9 1 1 *", timeZone: "Europe/Berlin", startTime: new Date(farAway) };

test("a schedule is created, replaced, changed and removed", async () => {
  const { targetId } = await service.target();
  const { schedules } = client();
  const created = await schedules.create({ targetId, json: { kind: "digest" }, ...yearly });
  const { scheduleId } = created;
  expect(created).toMatchObject({ payload: '{"kind":"digest"}', revision: 1, cron: [yearly.cron] });
  expect(await schedules.get(scheduleId)).toEqual(created);
  await schedules.put(scheduleId, { targetId, payload: "p", ...yearly, overlap: "skip" });
  const changed = await schedules.update(scheduleId, { json: [1], overlap: null, maxRuns: 3 });
  expect(changed).toMatchObject({ payload: "[1]", overlap: "allow", maxRuns: 3, revision: 3 });
  const [listed] = await schedules.list({ targetId, paused: false }).all();
  expect(listed?.scheduleId).toBe(scheduleId);
  expect(await schedules.remove(scheduleId)).toEqual(changed);
  expect(await schedules.get(scheduleId)).toBeNull();
});

test("runs are previewed, skipped, held back and listed", async () => {
  const { targetId } = await service.target();
  const { schedules } = client();
  const [first, second] = await schedules.preview({ ...yearly, count: 2 });
  const whole = { targetId, json: [1], overlap: "skip", ...yearly } as const;
  expect(await schedules.preview({ ...whole, count: 2 })).toEqual([first, second]);
  const id = "previewed";
  const { nextRunTime } = await schedules.put(id, { targetId, payload: "", ...yearly });
  expect(nextRunTime).toBe(first?.time);
  const skipped = await schedules.skip(id, new Date(nextRunTime!));
  expect(skipped).toMatchObject({ skips: [first?.time], nextRunTime: second?.time });
  expect(await schedules.unskip(id, first!.time)).toMatchObject({ skips: [], nextRunTime });
  const until = new Date(second!.time);
  const paused = await schedules.pause(id, { note: "holidays", until });
  expect(paused.pause).toMatchObject({ note: "holidays", until: second?.time });
  expect(await schedules.resume(id)).toMatchObject({ paused: false, nextRunTime });
  await expect(
    schedules.skip(id, until.toISOString().replace("Z", "+01:00")),
  ).rejects.toMatchObject({
    ...{ code: "E-DI-6004", status: 409 },
  });
});

test("a run that is triggered arrives, and says which it is", async () => {
  const target = await service.target();
  const { schedules, messages } = client();
  const { targetId, secret } = target;
  const { scheduleId } = await schedules.create({ targetId, json: { a: 1 }, ...yearly });
  const run = await schedules.trigger(scheduleId);
  expect(run).toMatchObject({ scheduleId, trigger: "MANUAL", outcome: "CREATED" });
  const [receipt] = await target.received(1);
  const { runTime } = run;
  const webhook = await verify(receipt!, { secret });
  expect(webhook).toMatchObject({ scheduleId, runTime, messageId: run.messageId });
  const message = await service.reaches(run.messageId!, "DELIVERED");
  expect(await messages.find({ scheduleId }).all()).toEqual([message]);
  expect(message).toMatchObject({ scheduleId, runTime });
  const runs = await schedules.runs(scheduleId).all();
  expect(runs).toEqual([{ ...run, messageState: "DELIVERED" }]);
});
