import { expect, test } from "vitest";
import { operatedService } from "../../server/test/support/operated-service.ts";
import { farAway, status } from "../../server/test/support/shared-service.ts";
import { rootKey } from "../../server/test/support/server-process.ts";
import { Postdate } from "../src/index.ts";

const service = operatedService();
const client = (): Postdate => new Postdate({ url: service.server.url, key: rootKey });

async function scheduled(postdate: Postdate, targetId: string, count: number): Promise<void> {
  const messages = Array.from({ length: count }, (_, index) => ({
    targetId,
    at: farAway,
    payload: `number ${index}`,
    labels: { half: index % 2 === 0 ? "even" : "odd" },
  }));
  for await (const { error } of postdate.messages.scheduleMany(messages)) {
    expect(error).toBeUndefined();
  }
}

test("messages are counted, moved and cancelled by jobs", async () => {
  const { targetId } = await service.target();
  const postdate = client();
  await scheduled(postdate, targetId, 500);
  const shift = { action: "shift", filter: { targetId }, byMs: -86_400_000 } as const;
  const preview = await postdate.jobs.preview(shift);
  expect(preview).toMatchObject({ count: 500, exact: true });
  expect(preview.sample).toHaveLength(10);

  const options = { idempotencyKey: `shift-${targetId}` };
  const job = await postdate.jobs.create(shift, options);
  expect((await postdate.jobs.create(shift, options)).jobId).toBe(job.jobId);
  const seen: number[] = [];
  const ended = await postdate.jobs.wait(job.jobId, { onProgress: ({ done }) => seen.push(done) });
  expect(ended).toMatchObject({ state: "DONE", matched: 500, done: 500, stopReason: null });
  expect(seen.at(-1)).toBe(500);
  expect(await postdate.jobs.get(job.jobId)).toEqual(ended);
  const [latest] = (await postdate.jobs.list({ limit: 1 }).page()).items;
  expect(latest).toEqual(ended);

  const { jobId } = await postdate.jobs.create({
    action: "cancel",
    filter: { targetId, labels: { half: "odd" } },
  });
  expect(await postdate.jobs.wait(jobId)).toMatchObject({ state: "DONE", done: 250 });
  expect(await postdate.targets.scheduled(targetId, { limit: 100 }).all()).toHaveLength(250);
});

test("a job is paused, resumed, slowed down and stopped", async () => {
  const { targetId } = await service.target();
  const postdate = client();
  await scheduled(postdate, targetId, 50);
  const cancel = { action: "cancel", filter: { targetId }, ratePerSecond: 1 } as const;
  const { jobId } = await postdate.jobs.create(cancel);
  await expect(postdate.jobs.create(cancel)).rejects.toMatchObject({ code: "E-DI-7002" });
  expect(await postdate.jobs.pause(jobId)).toMatchObject({ state: "PAUSED" });
  expect(await postdate.jobs.wait(jobId)).toMatchObject({ stopReason: "REQUESTED" });
  expect(await postdate.jobs.resume(jobId)).toMatchObject({ state: "RUNNING" });
  expect(await postdate.jobs.setRate(jobId, 2)).toMatchObject({ ratePerSecond: 2 });
  const { done } = await postdate.jobs.stop(jobId);
  expect(await postdate.jobs.wait(jobId)).toMatchObject({ state: "STOPPED", done });
  await expect(postdate.jobs.stop(jobId)).rejects.toMatchObject({ code: "E-DI-7003" });
  await expect(postdate.jobs.wait("job_none")).rejects.toMatchObject({ code: "E-DI-7001" });
  expect(await postdate.jobs.get("job_none")).toBeNull();
});

test("dead letters are sent again", async () => {
  const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
  const postdate = client();
  target.answerWith(status(503));
  const { targetId } = target;
  const { messageId } = await postdate.messages.schedule({ targetId, in: 0, payload: "again" });
  await service.reaches(messageId, "DEAD_LETTER");
  target.answerWith(status(204));
  const { jobId } = await postdate.targets.redrive(targetId, {
    filter: { lastStatusCode: 503, minTime: new Date(Date.now() - 3_600_000) },
  });
  expect(await postdate.jobs.wait(jobId)).toMatchObject({ state: "DONE", done: 1 });
  await service.reaches(messageId, "DELIVERED");
});

test("a target is removed with its messages", async () => {
  const { targetId } = await service.target();
  const postdate = client();
  await scheduled(postdate, targetId, 20);
  await expect(postdate.targets.remove(targetId)).rejects.toMatchObject({ code: "E-DI-3003" });
  const { jobId } = await postdate.targets.remove(targetId, { messages: "cancel" });
  expect(await postdate.jobs.wait(jobId)).toMatchObject({
    state: "DONE",
    done: 20,
    removesTarget: true,
  });
  expect(await postdate.targets.get(targetId)).toBeNull();
});
