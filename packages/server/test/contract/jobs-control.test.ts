import { describe, expect, test } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { expectRefusal } from "../support/expectations.ts";
import { farAway, held, patiently } from "../support/shared-service.ts";
import { countStates, jobCalls } from "./support/jobs.ts";
import { onEachStore } from "./support/on-each-store.ts";

const unknownId = "job_01k9xvq8c7e4nv3q0t2m5r8w1z";

onEachStore((makeService) => {
  const service = makeService();
  const jobs = jobCalls(service);
  const busy = makeService();
  const post = (jobId: string, action: string): Promise<ApiAnswer> =>
    service.api("POST", `/v1/jobs/${jobId}/${action}`);
  /** A job that takes as many seconds as its target has messages, and has met one of them. */
  const slowJob = async (count = 60) => {
    const { targetId } = await service.target();
    const messages = await jobs.scheduled(targetId, count);
    const order = { action: "cancel", filter: { targetId }, ratePerSecond: 1 };
    const { jobId } = await jobs.create(order);
    await expect.poll(async () => (await jobs.get(jobId)).matched, patiently).toBeGreaterThan(0);
    return { targetId, messages, jobId, order };
  };

  describe("a job", () => {
    test("changes nothing more after it was stopped", async () => {
      const { messages, jobId } = await slowJob();
      const stopped = await post(jobId, "stop");
      expect(stopped.status, stopped.text).toBe(200);
      const { state, stopReason, matched, done, endTime } = stopped.body;
      expect([state, stopReason, matched]).toEqual(["STOPPED", "REQUESTED", done]);
      expect(endTime).toEqual(expect.any(String));
      const after = await jobs.now(messages);
      expect(countStates(after)).toEqual({ CANCELLED: done, SCHEDULED: messages.length - done });
      expect(await jobs.get(jobId)).toEqual(stopped.body);
      // What the job would have done by now is seen through another job, which takes its time.
      const { targetId } = await service.target();
      await jobs.scheduled(targetId, 3);
      await jobs.done({ action: "cancel", filter: { targetId }, ratePerSecond: 1 });
      expect(await jobs.now(messages)).toEqual(after);
    });

    test("is stopped by one of many calls at once", async () => {
      const { jobId } = await slowJob();
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(jobId, "stop")));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectRefusal(answer, 409, { code: "E-DI-7003" });
      }
      const ends = (await service.ok("GET", "/v1/audit-log?limit=100")).items.filter(
        (entry: { action: string; subjectId: string }) =>
          entry.action === "job.ended" && entry.subjectId === jobId,
      );
      expect(ends).toHaveLength(1);
    });

    test("waits while it is paused, and goes on when it is resumed", async () => {
      const { messages, jobId } = await slowJob(20);
      const paused = (await post(jobId, "pause")).body;
      expect(paused).toMatchObject({ state: "PAUSED", stopReason: "REQUESTED", endTime: null });
      expect((await post(jobId, "pause")).body).toEqual(paused);
      const changed = await service.ok("PATCH", `/v1/jobs/${jobId}`, {
        body: { ratePerSecond: 10_000 },
      });
      expect(changed).toEqual({ ...paused, ratePerSecond: 10_000 });
      expect(countStates(await jobs.now(messages))["CANCELLED"]).toBe(paused.done);
      const resumed = (await post(jobId, "resume")).body;
      expect(resumed).toMatchObject({ state: "RUNNING", stopReason: null });
      expect(await jobs.reaches(jobId, "DONE")).toMatchObject({ matched: 20, done: 20 });
      expect(countStates(await jobs.now(messages))).toEqual({ CANCELLED: 20 });
    });

    test("goes on at another rate at once", async () => {
      const { jobId } = await slowJob(600);
      const body = { ratePerSecond: 10_000 };
      expect(await service.ok("PATCH", `/v1/jobs/${jobId}`, { body })).toMatchObject(body);
      expect(await jobs.reaches(jobId, "DONE")).toMatchObject({ matched: 600, done: 600 });
    });

    test("can be stopped while it is paused", async () => {
      const { jobId, messages } = await slowJob();
      await post(jobId, "pause");
      const { state, done } = (await post(jobId, "stop")).body;
      expect(state).toBe("STOPPED");
      expect(countStates(await jobs.now(messages))["CANCELLED"]).toBe(done);
    });

    test("that has ended changes no more: E-DI-7003", async () => {
      const { targetId } = await service.target();
      const job = await jobs.done({ action: "cancel", filter: { targetId } });
      for (const action of ["stop", "pause", "resume"]) {
        expectRefusal(await post(job.jobId, action), 409, { code: "E-DI-7003" });
      }
      const path = `/v1/jobs/${job.jobId}`;
      const patched = await service.api("PATCH", path, { body: { ratePerSecond: 5 } });
      expectRefusal(patched, 409, { code: "E-DI-7003" });
      expect(await jobs.get(job.jobId)).toEqual(job);
    });

    test.each([unknownId, "job_", "x", "job_%00", "msg_01k9xvq8c7e4nv3q0t2m5r8w1z"])(
      "%s is unknown: E-DI-7001",
      async (jobId) => {
        const unknown = { code: "E-DI-7001" };
        expectRefusal(await service.api("GET", `/v1/jobs/${jobId}`), 404, unknown);
        for (const action of ["stop", "pause", "resume"]) {
          expectRefusal(await post(jobId, action), 404, unknown);
        }
        const body = { ratePerSecond: 5 };
        expectRefusal(await service.api("PATCH", `/v1/jobs/${jobId}`, { body }), 404, unknown);
      },
    );
  });

  test("only who may remove a target lets its removal go on: E-DI-2002", async () => {
    const target = await service.target();
    const receiver = held();
    target.answerWith(receiver.answer);
    await target.schedule();
    const response = await receiver.next();
    const path = `/v1/targets/${target.targetId}`;
    const { jobId } = (await service.api("DELETE", `${path}?messages=cancel`)).body;
    await expect.poll(async () => (await jobs.get(jobId)).matched, patiently).toBe(1);
    const scopes = ["scheduler.messages.readwrite"];
    const { key } = await service.ok("POST", "/v1/keys", { body: { name: "w", scopes } });
    const job = `/v1/jobs/${jobId}`;
    const paused = await service.ok("POST", `${job}/pause`, { key });
    response.writeHead(204).end();
    const body = { ratePerSecond: 9 };
    for (const answer of [
      await service.api("POST", `${job}/resume`, { key }),
      await service.api("PATCH", job, { key, body }),
    ]) {
      expectRefusal(answer, 403, { code: "E-DI-2002" });
    }
    expect(await jobs.get(jobId)).toEqual(paused);
    await service.ok("GET", path);
    await service.ok("PATCH", job, { body });
    await service.ok("POST", `${job}/resume`);
    await jobs.reaches(jobId, "DONE");
    expect((await service.api("GET", path)).status).toBe(404);
  });

  describe("one at a time", () => {
    const expectBusy = (answer: ApiAnswer, jobId: string): void => {
      expectRefusal(answer, 409, { code: "E-DI-7002" });
      expect(answer.body.errors[0].message).toContain(jobId);
    };

    test("for a target, also while it is paused", async () => {
      const { jobId, targetId } = await slowJob();
      const filter = { targetId };
      for (const order of [
        { action: "cancel", filter },
        { action: "redrive", filter: { targetId, labels: { a: "b" } } },
      ]) {
        expectBusy(await jobs.post(order), jobId);
      }
      expectBusy(await service.api("DELETE", `/v1/targets/${targetId}?messages=cancel`), jobId);
      const redrive = `/v1/targets/${targetId}/dead-letters/redrive`;
      expectBusy(await service.api("POST", redrive), jobId);
      expect((await jobs.preview({ action: "cancel", filter })).count).toBeGreaterThan(0);
      await post(jobId, "pause");
      expectBusy(await jobs.post({ action: "cancel", filter }), jobId);
      await post(jobId, "stop");
      const next = { action: "cancel", filter };
      expect(await jobs.done(next)).toMatchObject({ state: "DONE" });
    });

    test("for an account among jobs without a target", async () => {
      const { targetId } = await service.target();
      const labels = { batch: targetId };
      await jobs.scheduled(targetId, 60, () => ({ labels }));
      const order = { action: "cancel", filter: { labels }, ratePerSecond: 1 };
      const { jobId } = await jobs.create(order);
      expectBusy(await jobs.post({ ...order, filter: { labels: { other: "1" } } }), jobId);
      expect(await jobs.done({ action: "cancel", filter: { targetId } })).toMatchObject({
        state: "DONE",
      });
      await service.api("POST", `/v1/jobs/${jobId}/stop`);
    });

    test("whatever a thousand calls at once want", async () => {
      const { targetId } = await service.target();
      await jobs.scheduled(targetId, 60);
      const order = { action: "cancel", filter: { targetId }, ratePerSecond: 1 };
      const left = Array.from({ length: 1_000 }, () => order).values();
      const won: string[] = [];
      const refusals = new Set<string>();
      const callOn = async (): Promise<void> => {
        for (const each of left) {
          const answer = await jobs.post(each);
          if (answer.status === 201) won.push(answer.body.jobId);
          else {
            expectRefusal(answer, 409, { code: "E-DI-7002" });
            refusals.add(answer.body.errors[0].message);
          }
        }
      };
      await Promise.all(Array.from({ length: 100 }, callOn));
      expect(won).toHaveLength(1);
      expect([...refusals]).toEqual([expect.stringContaining(won[0]!)]);
      await post(won[0]!, "stop");
    });
  });

  test("an account has at most 50 jobs that have not ended: E-DI-7004", async () => {
    const live: string[] = [];
    const orders = await Promise.all(
      Array.from({ length: 51 }, async () => {
        const { targetId } = await service.target();
        await jobs.scheduled(targetId, 60);
        return { action: "cancel", filter: { targetId }, ratePerSecond: 1 };
      }),
    );
    for (const order of orders.slice(0, 50)) live.push((await jobs.create(order)).jobId);
    expectRefusal(await jobs.post(orders[50]!), 409, { code: "E-DI-7004" });
    await post(live[7]!, "pause");
    expectRefusal(await jobs.post(orders[50]!), 409, { code: "E-DI-7004" });
    await post(live[7]!, "stop");
    live.push((await jobs.create(orders[50]!)).jobId);
    for (const jobId of live.filter((_, index) => index !== 7)) await post(jobId, "stop");
  });

  test("too many that are started within a minute are refused for a while: E-DI-2003", async () => {
    const { targetId } = await busy.target();
    const order = { action: "cancel", filter: { targetId } };
    const createAndStop = async (): Promise<ApiAnswer> => {
      const answer = await jobCalls(busy).post(order);
      if (answer.status === 201) await busy.api("POST", `/v1/jobs/${answer.body.jobId}/stop`);
      return answer;
    };
    let answer = await createAndStop();
    for (let count = 1; count < 200 && answer.status === 201; count++) {
      answer = await createAndStop();
    }
    expectRefusal(answer, 429, { code: "E-DI-2003" });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  describe("an Idempotency-Key", () => {
    const keyed = (order: object, key: string) => jobs.post(order, { "idempotency-key": key });

    test("gives a repeated request the same job, as it is now", async () => {
      const { targetId } = await service.target();
      await jobs.scheduled(targetId, 3);
      const key = `same-${targetId}`;
      const filter = { targetId, labels: { b: "2", a: "1" } };
      const order = { action: "cancel", filter };
      const first = await keyed(order, key);
      expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([201, null]);
      const done = await jobs.reaches(first.body.jobId, "DONE");
      const respelled = { filter: { labels: { a: "1", b: "2" }, targetId }, action: "cancel" };
      for (const same of [order, respelled]) {
        const again = await keyed(same, key);
        expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
        expect(again.body).toEqual(done);
      }
    });

    test("refuses another request: E-DI-5007", async () => {
      const { targetId } = await service.target();
      const key = `other-${targetId}`;
      const order = { action: "shift", byMs: 5, filter: { targetId } };
      await jobs.reaches((await keyed(order, key)).body.jobId, "DONE");
      const reused = { code: "E-DI-5007", field: "Idempotency-Key" };
      for (const change of [
        { byMs: 6 },
        { note: "x" },
        { ratePerSecond: 2_000 },
        { maxMessages: 1 },
        { filter: { targetId, keyPrefix: "a" } },
        { filter: { targetId, minTime: farAway } },
        { filter: { targetId, maxTime: farAway } },
        { filter: { targetId, labels: { a: "b" } } },
        { action: "cancel", byMs: undefined },
      ]) {
        expectRefusal(await keyed({ ...order, ...change }, key), 422, reused);
      }
    });

    test("makes one job of many calls at once", async () => {
      const { targetId } = await service.target();
      await jobs.scheduled(targetId, 60);
      const order = { action: "cancel", filter: { targetId }, ratePerSecond: 1 };
      const calls = Array.from({ length: 20 }, () => keyed(order, `once-${targetId}`));
      const answers = await Promise.all(calls);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(answers.map(({ body }) => body.jobId)).size).toBe(1);
      await post(answers[0]!.body.jobId, "stop");
    });

    test("is free for a message, and for a preview", async () => {
      const { targetId } = await service.target();
      const key = `free-${targetId}`;
      const order = { action: "cancel", filter: { targetId } };
      expect((await keyed({ ...order, dryRun: true }, key)).status).toBe(200);
      expect((await keyed(order, key)).status).toBe(201);
      const body = { targetId, deliveryTime: farAway, payload: "" };
      const headers = { "idempotency-key": key };
      const message = await service.api("POST", "/v1/messages", { body, headers });
      expect([message.status, message.headers.get("idempotency-replayed")]).toEqual([200, null]);
    });
  });

  test("the list has the newest first, in pages", async () => {
    const made: string[] = [];
    for (let count = 0; count < 5; count++) {
      const { targetId } = await service.target();
      made.push((await jobs.done({ action: "cancel", filter: { targetId } })).jobId);
    }
    const ids: string[] = [];
    for (let pageToken: string | null = ""; pageToken !== null && ids.length < 5;) {
      const query = pageToken === "" ? "" : `&pageToken=${pageToken}`;
      const page = await service.ok("GET", `/v1/jobs?limit=2${query}`);
      expect(page.count).toBe(page.items.length);
      ids.push(...page.items.map(({ jobId }: { jobId: string }) => jobId));
      pageToken = page.nextPageToken;
    }
    expect(ids.slice(0, 5)).toEqual(made.toReversed());
    expect((await service.ok("GET", "/v1/jobs?limit=1")).items).toEqual([await jobs.get(ids[0]!)]);
  });

  test("the audit log tells of its start and its end", async () => {
    const entriesOf = async (jobId: string) =>
      (await service.ok("GET", "/v1/audit-log?limit=100")).items
        .filter(({ subjectId }: { subjectId: string }) => subjectId === jobId)
        .map(({ action, actor, detail }: Record<string, unknown>) => ({ action, actor, detail }));
    const root = { kind: "key", id: "key_root" };
    const { targetId } = await service.target();
    await jobs.scheduled(targetId, 2);
    const order = { action: "cancel", filter: { targetId }, note: "spring cleaning" };
    const { jobId } = await jobs.done(order);
    expect(await entriesOf(jobId)).toEqual([
      {
        ...{ action: "job.ended", actor: { kind: "service", id: "postdate" } },
        detail: {
          ...{ state: "DONE", matched: 2, done: 2, stopReason: null, failedAgain: 0 },
          ...{ skippedChanged: 0, skippedInFlight: 0 },
        },
      },
      {
        ...{ action: "job.started", actor: root },
        detail: { action: "cancel", targetId, labels: [], note: "spring cleaning" },
      },
    ]);
    const labels = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`l${index}`, "😀".repeat(100)]),
    );
    const long = { action: "cancel", filter: { targetId, labels }, note: "💣".repeat(500) };
    const { detail } = (await entriesOf((await jobs.done(long)).jobId))[1];
    expect(detail.note).toBe(`${"💣".repeat(199)}…`);
    expect(detail.labels[0]).toBe(`l0:${"😀".repeat(36)}…`);
    const slow = await slowJob();
    const stopped = (await post(slow.jobId, "stop")).body;
    const [end, start] = await entriesOf(slow.jobId);
    expect([end.action, end.actor, start.action]).toEqual(["job.ended", root, "job.started"]);
    expect(end.detail).toMatchObject({ state: "STOPPED", matched: stopped.matched });
  });
});
