import { describe, expect, test } from "vitest";
import { anyInstant } from "../support/expectations.ts";
import { farAway, held, patiently, status } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";
import { countStates, jobCalls } from "./support/jobs.ts";
import { onEachStore } from "./support/on-each-store.ts";

const later = (ms: number): string => new Date(Date.parse(farAway) + ms).toISOString();
const sorted = (ids: readonly { messageId: string }[]): string[] =>
  ids.map(({ messageId }) => messageId).toSorted();

onEachStore((makeService) => {
  const service = makeService();
  const jobs = jobCalls(service);

  /** Messages for the target that have become dead letters, by these answers. */
  const deadLetters = async (
    target: ScriptedTarget,
    answers: readonly number[],
    change: Readonly<Record<string, unknown>> = {},
  ) => {
    const made = [];
    for (const code of answers) {
      target.answerWith(status(code));
      const { messageId } = await target.schedule(change);
      made.push(await service.reaches(messageId, "DEAD_LETTER"));
    }
    target.answerWith(status(204));
    return made;
  };
  const failing = { retryPolicy: { maxAttempts: 1, finalStatuses: [404] } };

  test("a job shows what it is to do, what it has done, and who asked for it", async () => {
    const { targetId } = await service.target();
    await jobs.scheduled(targetId, 3);
    const filter = { targetId, minTime: "2026-01-01T00:00:00.000Z" };
    const order = { action: "cancel", filter, ratePerSecond: 7, maxMessages: 9, note: "x < y" };
    const created = await jobs.create(order);
    const plain = {
      ...{ ...order, jobId: expect.stringMatching(/^job_[0-9a-z]{26}$/) },
      ...{ deliveryTime: null, byMs: null, failedAgain: 0, stopAfterFailures: null },
      ...{ creationTime: anyInstant, stopReason: null, removesTarget: false },
      actor: { kind: "key", id: "key_root" },
    };
    expect(created).toStrictEqual({
      ...{ ...plain, state: "RUNNING", matched: 0, done: 0, endTime: null },
      skipped: { changed: 0, inFlight: 0 },
    });
    expect(await jobs.reaches(created.jobId, "DONE")).toStrictEqual({
      ...{ ...plain, jobId: created.jobId, state: "DONE", matched: 3, done: 3 },
      ...{ endTime: anyInstant, skipped: { changed: 0, inFlight: 0 } },
      creationTime: created.creationTime,
    });
  });

  test("rates and failures have defaults", async () => {
    const { targetId } = await service.target();
    const filter = { targetId, labels: { no: "body" } };
    expect(await jobs.done({ action: "redrive", filter })).toMatchObject({
      ...{ ratePerSecond: 50, stopAfterFailures: 20, maxMessages: null, note: null },
    });
    for (const change of [
      { action: "cancel" },
      { action: "shift", byMs: -5 },
      { action: "reschedule", deliveryTime: farAway },
    ]) {
      const { ratePerSecond, stopAfterFailures } = await jobs.done({ ...change, filter });
      expect([ratePerSecond, stopAfterFailures]).toEqual([2_000, null]);
    }
  });

  describe("each message that matches is changed once", () => {
    test("cancelled", async () => {
      const [target, other] = [await service.target(), await service.target()];
      const { targetId } = target;
      const own = await jobs.scheduled(targetId, 450);
      const others = await jobs.scheduled(other.targetId, 3);
      const job = await jobs.done({ action: "cancel", filter: { targetId } });
      expect(job).toMatchObject({ matched: 450, done: 450, skipped: { changed: 0, inFlight: 0 } });
      expect(countStates(await jobs.now(own))).toEqual({ CANCELLED: 450 });
      expect(await jobs.now(others)).toEqual(others);
    });

    test("rescheduled", async () => {
      const { targetId } = await service.target();
      const own = await jobs.scheduled(targetId, 5, (index) => ({ deliveryTime: later(index) }));
      const deliveryTime = later(86_400_000);
      const filter = { targetId, minTime: later(1), maxTime: later(3) };
      const job = await jobs.done({ action: "reschedule", filter, deliveryTime });
      expect(job).toMatchObject({ matched: 3, done: 3, deliveryTime });
      const times = (await jobs.now(own)).map(({ nextDeliveryTime }) => nextDeliveryTime);
      expect(times).toEqual([later(0), deliveryTime, deliveryTime, deliveryTime, later(4)]);
    });

    test.each([1, -1, 500, -500, 86_400_000])("shifted by %i ms", async (byMs) => {
      const { targetId } = await service.target();
      // Each lies where another one moves to, so a job that saw its own output would move some twice.
      const own = await jobs.scheduled(targetId, 450, (index) => ({
        deliveryTime: later(index * Math.abs(byMs % 1_000 || 1)),
      }));
      const job = await jobs.done({ action: "shift", byMs, filter: { targetId } });
      expect(job).toMatchObject({ matched: 450, done: 450, byMs });
      const moved = own.map(({ nextDeliveryTime }) =>
        new Date(Date.parse(nextDeliveryTime) + byMs).toISOString(),
      );
      const times = (await jobs.now(own)).map(({ nextDeliveryTime }) => nextDeliveryTime);
      expect(times).toEqual(moved);
    });

    test("redriven, for now and with a fresh budget", async () => {
      const target = await service.target(failing);
      const own = await deadLetters(target, [500, 500]);
      const before = target.receipts().length;
      const { targetId } = target;
      const job = await jobs.done({ action: "redrive", filter: { targetId } });
      expect(job).toMatchObject({ matched: 2, done: 2, failedAgain: 0 });
      for (const { messageId } of own) await service.reaches(messageId, "DELIVERED");
      expect(target.receipts()).toHaveLength(before + 2);
    });

    test("redriven by the path of its target, with or without a body", async () => {
      const target = await service.target(failing);
      const path = `/v1/targets/${target.targetId}/dead-letters/redrive`;
      const [first] = await deadLetters(target, [500]);
      const seen = await service.api("POST", path, { body: { dryRun: true } });
      expect([seen.status, seen.body]).toEqual([
        200,
        { count: 1, exact: true, sample: [first], nextPageToken: null },
      ]);
      const answer = await service.api("POST", path);
      expect(answer.status, answer.text).toBe(201);
      const { action, filter, jobId } = answer.body;
      expect([action, filter]).toEqual(["redrive", { targetId: target.targetId }]);
      await jobs.reaches(jobId, "DONE");
      await service.reaches(first.messageId, "DELIVERED");
      await deadLetters(target, [404]);
      const body = { filter: { lastStatusCode: 500 }, ratePerSecond: 1, note: "again" };
      const second = await service.api("POST", path, { body });
      expect(await jobs.reaches(second.body.jobId, "DONE")).toMatchObject({
        ...{ matched: 0, ratePerSecond: 1, note: "again" },
        filter: { targetId: target.targetId, lastStatusCode: 500 },
      });
    });
  });

  describe("filters", () => {
    test("by label, with or without a target", async () => {
      const [one, two] = [await service.target(), await service.target()];
      const run = `run-${one.targetId}`;
      const ofOne = await jobs.scheduled(one.targetId, 3, () => ({ labels: { run, kind: "a" } }));
      const ofTwo = await jobs.scheduled(two.targetId, 2, () => ({ labels: { run, kind: "b" } }));
      const plain = await jobs.scheduled(two.targetId, 2);
      const counted = async (filter: object): Promise<number> =>
        (await jobs.preview({ action: "cancel", filter })).count;
      expect(await counted({ labels: { run } })).toBe(5);
      expect(await counted({ labels: { run, kind: "b" } })).toBe(2);
      expect(await counted({ labels: { run, kind: "a" }, targetId: two.targetId })).toBe(0);
      expect(await counted({ labels: { run }, targetId: one.targetId })).toBe(3);
      expect(await counted({ targetId: two.targetId })).toBe(4);
      const job = await jobs.done({ action: "cancel", filter: { labels: { run } } });
      expect(job).toMatchObject({ matched: 5, done: 5, filter: { labels: { run } } });
      expect(countStates(await jobs.now([...ofOne, ...ofTwo]))).toEqual({ CANCELLED: 5 });
      expect(await jobs.now(plain)).toEqual(plain);
    });

    test("by the beginning of the key, in which % and _ are plain characters", async () => {
      const { targetId } = await service.target();
      const keys = ["a%1", "a%2", "ab1", "a_1", "A%3"];
      const own = await jobs.scheduled(targetId, keys.length + 1, (index) =>
        index < keys.length ? { key: keys[index] } : {},
      );
      const idsWith = async (keyPrefix: string): Promise<string[]> =>
        sorted((await jobs.preview({ action: "cancel", filter: { targetId, keyPrefix } })).sample);
      expect(await idsWith("a")).toEqual(sorted(own.slice(0, 4)));
      expect(await idsWith("a%")).toEqual(sorted(own.slice(0, 2)));
      expect(await idsWith("a_")).toEqual(sorted(own.slice(3, 4)));
      expect(await idsWith("%")).toEqual([]);
      await jobs.done({ action: "cancel", filter: { targetId, keyPrefix: "a%" } });
      expect(countStates(await jobs.now(own))).toEqual({ CANCELLED: 2, SCHEDULED: 4 });
    });

    test("of dead letters: by reason, by the last status and by deadLetterTime", async () => {
      const target = await service.target(failing);
      const { targetId } = target;
      const own = await deadLetters(target, [500, 404, 503]);
      const idsWith = async (filter: object): Promise<string[]> =>
        sorted((await jobs.preview({ action: "redrive", filter: { targetId, ...filter } })).sample);
      const [first, second, third] = own;
      expect(await idsWith({})).toEqual(sorted(own));
      expect(await idsWith({ deadLetterReason: "FINAL_ANSWER" })).toEqual(sorted([second]));
      expect(await idsWith({ deadLetterReason: "ATTEMPTS_EXHAUSTED" })).toEqual(
        sorted([first, third]),
      );
      expect(await idsWith({ lastStatusCode: 503 })).toEqual(sorted([third]));
      expect(await idsWith({ lastStatusCode: 418 })).toEqual([]);
      const { deadLetterTime } = second;
      const exactly = own.filter((message) => message.deadLetterTime === deadLetterTime);
      expect(await idsWith({ minTime: deadLetterTime, maxTime: deadLetterTime })).toEqual(
        sorted(exactly),
      );
      const filter = { targetId, lastStatusCode: 404 };
      expect(await jobs.done({ action: "redrive", filter })).toMatchObject({ matched: 1, done: 1 });
      await service.reaches(second.messageId, "DELIVERED");
      expect(await jobs.now([first, third])).toEqual([first, third]);
    });
  });

  test("dryRun counts and shows the first ten, and changes nothing", async () => {
    const { targetId } = await service.target();
    const own = await jobs.scheduled(targetId, 1_000, (index) => ({
      deliveryTime: later(1_000 - index),
    }));
    await jobs.scheduled(targetId, 200);
    const order = { action: "cancel", filter: { targetId }, maxMessages: 3 };
    const { count, exact, sample } = await jobs.preview(order);
    expect([count, exact, sample.length]).toEqual([1_200, true, 10]);
    const bounded = { ...order, filter: { targetId, minTime: later(1) } };
    expect((await jobs.preview(bounded)).sample).toEqual(own.slice(-10).toReversed());
    expect((await jobs.preview(bounded)).count).toBe(1_000);
    expect((await service.ok("GET", "/v1/jobs")).items).not.toContainEqual(
      expect.objectContaining({ filter: { targetId } }),
    );
    expect(await jobs.now(own.slice(0, 20))).toEqual(own.slice(0, 20));
  });

  test("what is scheduled after the job was created is left alone", async () => {
    const { targetId } = await service.target();
    const own = await jobs.scheduled(targetId, 4);
    const filter = { targetId };
    const job = await jobs.create({ action: "cancel", filter, ratePerSecond: 2 });
    const newer = await jobs.scheduled(targetId, 4, () => ({ deliveryTime: later(-86_400_000) }));
    expect(await jobs.reaches(job.jobId, "DONE")).toMatchObject({ matched: 4, done: 4 });
    expect(countStates(await jobs.now(own))).toEqual({ CANCELLED: 4 });
    expect(await jobs.now(newer)).toEqual(newer);
  });

  test("maxMessages ends a job early", async () => {
    const { targetId } = await service.target();
    const own = await jobs.scheduled(targetId, 5);
    const job = await jobs.done({ action: "cancel", filter: { targetId }, maxMessages: 2 });
    expect(job).toMatchObject({ matched: 2, done: 2, stopReason: "MAX_MESSAGES" });
    expect(countStates(await jobs.now(own))).toEqual({ CANCELLED: 2, SCHEDULED: 3 });
  });

  describe("what cannot be changed is counted as skipped", () => {
    test("a dead letter whose key another message has taken", async () => {
      const target = await service.target(failing);
      const [dead] = await deadLetters(target, [500], { key: "k" });
      const { targetId } = target;
      const [holder] = await jobs.scheduled(targetId, 1, () => ({ key: "k" }));
      const job = await jobs.done({ action: "redrive", filter: { targetId } });
      expect(job).toMatchObject({ matched: 1, done: 0, skipped: { changed: 1, inFlight: 0 } });
      expect(await jobs.now([dead, holder])).toEqual([dead, holder]);
    });

    test("a message that would move beyond its notAfter", async () => {
      const { targetId } = await service.target();
      const own = await jobs.scheduled(targetId, 3, (index) =>
        index === 0 ? { notAfter: later(1_000) } : { notAfterMs: 1_000 },
      );
      const job = await jobs.done({ action: "shift", byMs: 5_000, filter: { targetId } });
      expect(job).toMatchObject({ matched: 3, done: 2, skipped: { changed: 1, inFlight: 0 } });
      const [first, ...others] = await jobs.now(own);
      expect(first).toEqual(own[0]);
      for (const { nextDeliveryTime, notAfter } of others) {
        expect([nextDeliveryTime, notAfter]).toEqual([later(5_000), later(6_000)]);
      }
    });

    test("a message that would move out of all time", async () => {
      const { targetId } = await service.target();
      const own = await jobs.scheduled(targetId, 1, () => ({
        deliveryTime: "9999-12-31T23:59:59.999Z",
      }));
      const job = await jobs.done({ action: "shift", byMs: 1, filter: { targetId } });
      expect(job).toMatchObject({ matched: 1, done: 0, skipped: { changed: 1, inFlight: 0 } });
      expect(await jobs.now(own)).toEqual(own);
    });

    test("a message whose attempt does not end", async () => {
      const target = await service.target();
      const receiver = held();
      target.answerWith(receiver.answer);
      const { messageId } = await target.schedule();
      const response = await receiver.next();
      const [own] = await jobs.scheduled(target.targetId, 1);
      const job = await jobs.done({ action: "cancel", filter: { targetId: target.targetId } });
      expect(job).toMatchObject({ matched: 2, done: 1, skipped: { changed: 0, inFlight: 1 } });
      expect((await jobs.now([own]))[0].state).toBe("CANCELLED");
      response.writeHead(204).end();
      await service.reaches(messageId, "DELIVERED");
    });
  });

  test("a message whose attempt fails meanwhile has a second turn", async () => {
    const target = await service.target({
      retryPolicy: { maxAttempts: 2, backoff: { kind: "list", delaysMs: [86_400_000] } },
    });
    const receiver = held();
    target.answerWith(receiver.answer);
    const { messageId } = await target.schedule();
    const response = await receiver.next();
    const { targetId } = target;
    const { jobId } = await jobs.create({ action: "cancel", filter: { targetId } });
    await expect.poll(async () => (await jobs.get(jobId)).matched, patiently).toBe(1);
    response.writeHead(500).end();
    expect(await jobs.reaches(jobId, "DONE")).toMatchObject({ matched: 1, done: 1 });
    expect((await service.ok("GET", `/v1/messages/${messageId}`)).state).toBe("CANCELLED");
    expect(target.receipts()).toHaveLength(1);
  });

  test("a redrive that fails too often in a row pauses, and can be resumed", async () => {
    const target = await service.target(failing);
    const own = await deadLetters(
      target,
      Array.from({ length: 6 }, () => 500),
    );
    target.answerWith(status(500));
    const { targetId } = target;
    const order = { action: "redrive", filter: { targetId }, ratePerSecond: 1 };
    const { jobId } = await jobs.create({ ...order, stopAfterFailures: 2 });
    const paused = await jobs.reaches(jobId, "PAUSED");
    expect(paused).toMatchObject({ stopReason: "FAILURES", endTime: null });
    expect(paused.failedAgain).toBeGreaterThanOrEqual(2);
    expect(paused.done).toBeLessThan(6);
    // The last one may still be on its way.
    await expect
      .poll(async () => countStates(await jobs.now(own)), patiently)
      .toEqual({ DEAD_LETTER: 6 });
    target.answerWith(status(204));
    await service.ok("PATCH", `/v1/jobs/${jobId}`, { body: { ratePerSecond: 10_000 } });
    const resumed = await service.ok("POST", `/v1/jobs/${jobId}/resume`);
    expect(resumed).toMatchObject({ state: "RUNNING", stopReason: null });
    const done = await jobs.reaches(jobId, "DONE");
    expect(done).toMatchObject({ matched: 6, done: 6, stopReason: null });
    const states = countStates(await jobs.now(own));
    expect(states).toEqual({ DELIVERED: 6 - paused.done, DEAD_LETTER: paused.done });
  });

  describe("a target with its messages", () => {
    const removalOf = (targetId: string) =>
      service.api("DELETE", `/v1/targets/${targetId}?messages=cancel`);

    test("is removed after they are cancelled", async () => {
      const { targetId } = await service.target();
      const own = await jobs.scheduled(targetId, 450);
      const answer = await removalOf(targetId);
      expect(answer.status, answer.text).toBe(202);
      expect(answer.body).toMatchObject({
        ...{ action: "cancel", filter: { targetId }, state: "RUNNING", removesTarget: true },
      });
      const job = await jobs.reaches(answer.body.jobId, "DONE");
      expect(job).toMatchObject({ matched: 450, done: 450 });
      expect(countStates(await jobs.now(own))).toEqual({ CANCELLED: 450 });
      expect((await service.api("GET", `/v1/targets/${targetId}`)).status).toBe(404);
      const { items } = await service.ok("GET", "/v1/audit-log");
      expect(items).toContainEqual(
        expect.objectContaining({ action: "target.removed", subjectId: targetId }),
      );
    });

    test("is removed at once if it has none", async () => {
      const { targetId } = await service.target();
      const { jobId } = (await removalOf(targetId)).body;
      expect(await jobs.reaches(jobId, "DONE")).toMatchObject({ matched: 0 });
      expect((await service.api("GET", `/v1/targets/${targetId}`)).status).toBe(404);
    });

    test("stays if messages came meanwhile", async () => {
      const target = await service.target();
      const receiver = held();
      target.answerWith(receiver.answer);
      await target.schedule();
      const response = await receiver.next();
      const { targetId } = target;
      const { jobId } = (await removalOf(targetId)).body;
      await expect.poll(async () => (await jobs.get(jobId)).matched, patiently).toBe(1);
      const [newer] = await jobs.scheduled(targetId, 1);
      response.writeHead(204).end();
      const job = await jobs.reaches(jobId, "FAILED");
      expect(job).toMatchObject({ stopReason: "TARGET_HAS_MESSAGES", endTime: anyInstant });
      expect(await jobs.now([newer])).toEqual([newer]);
      await service.ok("GET", `/v1/targets/${targetId}`);
    });
  });

  test("a job whose target is removed fails", async () => {
    const target = await service.target(failing);
    await deadLetters(target, [500, 500, 500]);
    const { targetId } = target;
    const order = { action: "redrive", filter: { targetId }, ratePerSecond: 1 };
    const { jobId } = await jobs.create(order);
    await expect.poll(async () => (await jobs.get(jobId)).matched, patiently).toBeGreaterThan(0);
    await service.ok("POST", `/v1/jobs/${jobId}/pause`);
    await expect
      .poll(async () => (await service.api("DELETE", `/v1/targets/${targetId}`)).status, patiently)
      .toBe(200);
    await service.ok("POST", `/v1/jobs/${jobId}/resume`);
    expect(await jobs.reaches(jobId, "FAILED")).toMatchObject({ stopReason: "TARGET_REMOVED" });
  });
});
