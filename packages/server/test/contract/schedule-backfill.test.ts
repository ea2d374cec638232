import { describe, expect, test } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import { jobCalls } from "./support/jobs.ts";
import { onEachStore } from "./support/on-each-store.ts";
import { scheduleCalls } from "./support/schedules.ts";

const none = { changed: 0, inFlight: 0 };
/** Four mornings of a week. */
const week = { from: "2026-01-06T09:00:00.000Z", to: "2026-01-09T09:00:00.000Z" };
const mornings = [6, 7, 8, 9].map((day) => `2026-01-0${day}T09:00:00.000Z`);

onEachStore((makeService) => {
  const service = makeService();
  const schedules = scheduleCalls(service);
  const jobs = jobCalls(service);

  /** A schedule that is due each morning, and never in the time of a test. */
  const made = async (change: object = {}) => {
    const target = await service.target();
    const { scheduleId } = await schedules.create({
      ...{ targetId: target.targetId, payload: "late", cron: "0 9 * * *", endTime: farAway },
      ...change,
    });
    // Nothing but the backfill makes runs.
    await schedules.act(scheduleId, "pause");
    return { target, scheduleId };
  };
  const backfill = (
    scheduleId: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer> =>
    service.api("POST", `/v1/schedules/${scheduleId}/backfill`, { body, headers });

  test("run times that are past get their messages, which are delivered at once", async () => {
    const { target, scheduleId } = await made();
    const given = { ...week, ratePerSecond: 1_000, note: "after the move" };
    const answer = await backfill(scheduleId, given);
    expect(answer.status, answer.text).toBe(202);
    const { jobId, ...job } = answer.body;
    const plain = {
      action: "backfill",
      filter: { targetId: target.targetId, scheduleId, minTime: week.from, maxTime: week.to },
      ...{ deliveryTime: null, byMs: null, failedAgain: 0, stopAfterFailures: null },
      ...{ maxMessages: null, removesTarget: false, ratePerSecond: 1_000, note: "after the move" },
      ...{ creationTime: anyInstant, stopReason: null, actor: { kind: "key", id: "key_root" } },
    };
    expect(job).toStrictEqual({
      ...{ ...plain, state: "RUNNING", matched: 0, done: 0, skipped: none, endTime: null },
    });
    expect(await jobs.reaches(jobId, "DONE")).toStrictEqual({
      ...{ ...plain, jobId, state: "DONE", matched: 4, done: 4, skipped: none },
      endTime: anyInstant,
    });
    const receipts = await target.received(4);
    const times = receipts.map(({ headers }) => headers["postdate-run-time"]);
    expect(new Set(times)).toEqual(new Set(mornings));
    expect(receipts.map(({ body }) => body.toString())).toEqual(Array(4).fill("late"));
    const runs = await schedules.runs(scheduleId);
    expect(runs.map(({ runTime }) => runTime)).toEqual(mornings.toReversed());
    expect(runs[0]).toMatchObject({ trigger: "BACKFILL", outcome: "CREATED", reason: null });
  });

  test("what has had its run is left out, also of the preview", async () => {
    const { scheduleId } = await made();
    const count = async (given: object) => (await backfill(scheduleId, given)).body;
    expect(await count({ ...week, dryRun: true })).toStrictEqual({
      ...{ count: 4, exact: true, sample: mornings, nextPageToken: null },
    });
    expect(await schedules.runs(scheduleId)).toEqual([]);
    const [first] = mornings;
    const { jobId } = await count({ from: first, to: first });
    await jobs.reaches(jobId, "DONE");
    expect(await count({ ...week, dryRun: true })).toStrictEqual({
      ...{ count: 3, exact: true, sample: mornings.slice(1), nextPageToken: null },
    });
    const { jobId: second } = await count(week);
    expect(await jobs.reaches(second, "DONE")).toMatchObject({ matched: 3, done: 3 });
  });

  test("it goes up to now, at a rate for targets that may be slow", async () => {
    const { scheduleId } = await made({ cron: "* * * * *" });
    const since = Date.now() - 3_600_000;
    const { body } = await backfill(scheduleId, { from: new Date(since).toISOString() });
    expect(body).toMatchObject({ ratePerSecond: 50, filter: { maxTime: anyInstant } });
    const { done } = await jobs.reaches(body.jobId, "DONE");
    expect(done).toBeGreaterThanOrEqual(60);
  });

  test("more than a preview shows is counted", async () => {
    const { scheduleId } = await made({ cron: "* * * * *" });
    const from = "2026-01-01T00:00:00.000Z";
    const day = { from, to: "2026-01-02T23:59:59.999Z", dryRun: true };
    let [count, pageToken] = [0, undefined];
    do {
      const { body } = await backfill(scheduleId, { ...day, pageToken });
      expect(body.sample).toHaveLength(10);
      expect(body.sample[0]).toBe(new Date(Date.parse(from) + count * 60_000).toISOString());
      count += body.count;
      pageToken = body.nextPageToken ?? undefined;
    } while (pageToken !== undefined);
    expect(count).toBe(2 * 24 * 60);
  });

  test.each([{ to: "2026-06-30T23:59:59.999Z" }, {}])(
    "a count that takes long goes on where it has ended: %j",
    async (end) => {
      const { scheduleId } = await made({ cron: "* * * * * *" });
      const from = "2026-01-01T00:00:00.000Z";
      const order = { from, ...end, dryRun: true };
      const first = (await backfill(scheduleId, order)).body;
      expect(first.exact).toBe(false);
      const pageToken = first.nextPageToken;
      const second = (await backfill(scheduleId, { ...order, pageToken })).body;
      expect(second.sample[0]).toBe(new Date(Date.parse(from) + first.count * 1_000).toISOString());
      const other = await made({ cron: "* * * * * *" });
      for (const [schedule, change] of [
        [scheduleId, { from: "2026-01-01T00:00:01.000Z" }],
        [scheduleId, { to: "2026-03-01T00:00:00.000Z" }],
        [other.scheduleId, {}],
      ] as const) {
        const answer = await backfill(schedule, { ...order, ...change, pageToken });
        expectRefusal(answer, 400, { code: "E-DI-1002", field: "pageToken" });
      }
    },
  );

  test("a repeated request with the same key is the same job", async () => {
    const { scheduleId } = await made();
    const key = { "idempotency-key": `backfill-${scheduleId}` };
    const first = await backfill(scheduleId, week, key);
    await jobs.reaches(first.body.jobId, "DONE");
    const other = await service.target();
    await schedules.patch(scheduleId, { targetId: other.targetId });
    const again = await backfill(scheduleId, week, key);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toMatchObject({ jobId: first.body.jobId, state: "DONE" });
    expectRefusal(await backfill(scheduleId, { ...week, to: week.from }, key), 422, {
      ...{ code: "E-DI-5007", field: "Idempotency-Key" },
    });
  });

  test("its target has one job at a time", async () => {
    const { target, scheduleId } = await made();
    const { targetId } = target;
    await jobs.scheduled(targetId, 20);
    const slow = { action: "cancel", filter: { targetId }, ratePerSecond: 1 };
    const { jobId } = await jobs.create(slow);
    expectRefusal(await backfill(scheduleId, week), 409, { code: "E-DI-7002" });
    await service.ok("POST", `/v1/jobs/${jobId}/stop`);
    expect((await backfill(scheduleId, week)).status).toBe(202);
  });

  test("a schedule that is removed meanwhile ends it", async () => {
    const { scheduleId } = await made();
    const slow = { from: "2025-01-01T00:00:00Z", to: week.to, ratePerSecond: 5 };
    const { body } = await backfill(scheduleId, slow);
    await service.ok("DELETE", `/v1/schedules/${scheduleId}`);
    expect(await jobs.reaches(body.jobId, "FAILED")).toMatchObject({
      stopReason: "SCHEDULE_REMOVED",
    });
  });

  test("only who may change schedules lets it go on: E-DI-2002", async () => {
    const { scheduleId } = await made();
    const slow = { from: "2025-01-01T00:00:00Z", to: week.to, ratePerSecond: 5 };
    const { jobId } = (await backfill(scheduleId, slow)).body;
    const scopes = ["scheduler.messages.readwrite"];
    const { key } = await service.ok("POST", "/v1/keys", { body: { name: "w", scopes } });
    const job = `/v1/jobs/${jobId}`;
    await service.ok("POST", `${job}/pause`, { key });
    for (const answer of [
      await service.api("POST", `${job}/resume`, { key }),
      await service.api("PATCH", job, { key, body: { ratePerSecond: 9 } }),
    ]) {
      expectRefusal(answer, 403, { code: "E-DI-2002" });
    }
    await service.ok("POST", `${job}/resume`);
    await service.ok("POST", `${job}/stop`, { key });
    expect(await jobs.get(jobId)).toMatchObject({ state: "STOPPED", stopReason: "REQUESTED" });
  });

  test("start and end are in the audit log", async () => {
    const { target, scheduleId } = await made();
    const { jobId } = (await backfill(scheduleId, { ...week, note: "why" })).body;
    await jobs.reaches(jobId, "DONE");
    const { items } = await service.ok("GET", "/v1/audit-log?limit=10");
    const own = items.filter(({ subjectId }: { subjectId: string }) => subjectId === jobId);
    expect(own).toMatchObject([
      { action: "job.ended", detail: { state: "DONE", matched: 4, done: 4 } },
      {
        action: "job.started",
        detail: { action: "backfill", targetId: target.targetId, scheduleId, note: "why" },
      },
    ]);
  });

  test("only a count goes on", async () => {
    const { scheduleId } = await made();
    const order = { ...week, pageToken: "abc" };
    const noCount = { code: "E-DI-1001", field: "pageToken" };
    expectRefusal(await backfill(scheduleId, order), 400, noCount);
    const badToken = { code: "E-DI-1002", field: "pageToken" };
    expectRefusal(await backfill(scheduleId, { ...order, dryRun: true }), 400, badToken);
  });

  describe("is refused", () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const invalid = (...fields: string[]) => fields.map((field) => ({ code: "E-DI-1001", field }));

    test.each<[string, object, readonly string[]]>([
      ["a time in the future", { ...week, to: tomorrow }, ["to"]],
      ["a beginning in the future", { from: tomorrow }, ["from"]],
      ["a span that is turned round", { from: week.to, to: week.from }, ["from"]],
      ["what is more than fifty years ago", { ...week, from: "1970-01-01T00:00:00Z" }, ["from"]],
      ["no beginning", { to: week.to }, ["from"]],
      ["what is no time", { from: "yesterday", to: "soon" }, ["from", "to"]],
      ["a rate out of bounds", { ...week, ratePerSecond: 0 }, ["ratePerSecond"]],
      ["an unknown field", { ...week, maxMessages: 1 }, ["maxMessages"]],
      ["a token that is no text", { ...week, pageToken: 1 }, ["pageToken"]],
    ])("%s", async (_, given, fields) => {
      const { scheduleId } = await made();
      for (const dryRun of [false, true]) {
        expectRefusal(await backfill(scheduleId, { ...given, dryRun }), 400, ...invalid(...fields));
      }
    });

    test("a schedule that does not exist", async () => {
      for (const dryRun of [false, true]) {
        expectRefusal(await backfill("nope", { ...week, dryRun }), 404, { code: "E-DI-6001" });
      }
    });

    test("as a job of its own", async () => {
      const order = { action: "backfill", filter: { scheduleId: "x" } };
      expectRefusal(await jobs.post(order), 400, { code: "E-DI-1001", field: "action" });
    });
  });
});
