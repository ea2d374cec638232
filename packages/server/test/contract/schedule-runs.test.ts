import { describe, expect, test, vi } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import { farAway, held, patiently, status } from "../support/shared-service.ts";
import { jobCalls } from "./support/jobs.ts";
import { onEachStore } from "./support/on-each-store.ts";
import { ahead, scheduleCalls } from "./support/schedules.ts";

const yearly = { cron: "0 9 1 1 *", startTime: farAway };
const daily = { everyMs: 86_400_000 };

onEachStore((makeService) => {
  const service = makeService();
  const schedules = scheduleCalls(service);
  const jobs = jobCalls(service);

  const made = async (change: object): Promise<ApiAnswer["body"]> => {
    const { targetId } = await service.target();
    return schedules.create({ targetId, payload: "p", ...change });
  };
  const statesOf = async (scheduleId: string): Promise<string[]> =>
    (await schedules.messages(scheduleId)).map(({ state }) => state);

  describe("a run", () => {
    test("has a message that is delivered at its time, and names its schedule", async () => {
      const target = await service.target();
      const message = { labels: { kind: "digest" }, notAfterMs: 3_600_000 };
      const { scheduleId, at } = await ahead((startTime) =>
        schedules.create({
          ...{ targetId: target.targetId, payload: "hello", at: [startTime.slice(0, 19)], message },
        }),
      );
      const runTime = `${at[0]}.000Z`;
      const [receipt] = await target.received(1);
      expect(receipt?.body.toString()).toBe("hello");
      expect(receipt?.headers).toMatchObject({
        "postdate-schedule": scheduleId,
        "postdate-run-time": runTime,
        "postdate-original-delivery-time": runTime,
      });
      const messageId = receipt?.headers["webhook-id"] as string;
      expect(await service.reaches(messageId, "DELIVERED")).toMatchObject({
        ...{ scheduleId, runTime, originalDeliveryTime: runTime, labels: message.labels },
        notAfterMs: 3_600_000,
      });
      const run = {
        ...{ scheduleId, runTime, trigger: "TIME", outcome: "CREATED", reason: null },
        ...{ messageId, messageState: "DELIVERED" },
      };
      expect(await schedules.runs(scheduleId)).toStrictEqual([run]);
      expect(await schedules.get(scheduleId)).toMatchObject({ lastRun: run, nextRunTime: null });
      expect((await schedules.messages(scheduleId)).map((each) => each.messageId)).toEqual([
        messageId,
      ]);
    });

    test("is made for each time, once, and listed in pages, the newest first", async () => {
      const target = await service.target();
      const { scheduleId, startTime } = await ahead((given) =>
        schedules.create({
          ...{ targetId: target.targetId, payload: "", everyMs: 1_000, maxRuns: 3 },
          startTime: given,
        }),
      );
      const receipts = await target.received(3);
      const times = [0, 1_000, 2_000].map((ms) =>
        new Date(Date.parse(startTime) + ms).toISOString(),
      );
      expect(receipts.map(({ headers }) => headers["postdate-run-time"])).toEqual(times);
      const path = `/v1/schedules/${scheduleId}/runs?limit=2`;
      const first = await service.ok("GET", path);
      const second = await service.ok("GET", `${path}&pageToken=${first.nextPageToken}`);
      const listed = [...first.items, ...second.items].map(({ runTime }) => runTime);
      expect(listed).toEqual(times.toReversed());
      expect([first.count, second.count, second.nextPageToken]).toEqual([2, 1, null]);
      expect(await schedules.get(scheduleId)).toMatchObject({ nextRunTime: null, runsLeft: 0 });
    });
  });

  test("a run that waits says for which message, and how many are left is known", async () => {
    const { targetId } = await service.target();
    await service.ok("POST", `/v1/targets/${targetId}/pause`);
    const recurrence = { everyMs: 1_000, overlap: "queue", maxRuns: 5 };
    const created = await schedules.create({ targetId, payload: "", ...recurrence });
    const { scheduleId } = created;
    expect(created.waitsForMessageId).toBeNull();
    await vi.waitFor(async () => {
      expect((await schedules.get(scheduleId)).waitsForMessageId).not.toBeNull();
    }, patiently);
    const waiting = await schedules.get(scheduleId);
    const [run, ...others] = await schedules.runs(scheduleId);
    expect([run?.outcome, run?.messageState, others]).toEqual(["CREATED", "SCHEDULED", []]);
    expect(waiting).toMatchObject({ waitsForMessageId: run!.messageId, runsLeft: 4 });
    expect(Date.parse(waiting.nextRunTime) - Date.parse(run!.runTime)).toBe(1_000);
    const { body: paused } = await schedules.act(scheduleId, "pause");
    expect(paused).toMatchObject({ waitsForMessageId: null, runsLeft: 4 });
  });

  describe("what did not happen is on record", () => {
    const everySecond = { payload: "", everyMs: 1_000 };

    test("while the message of the run before is scheduled", async () => {
      const target = await service.target();
      const { answer, next } = held();
      target.answerWith(answer);
      const { targetId } = target;
      const { scheduleId } = await schedules.create({ targetId, ...everySecond, overlap: "skip" });
      const first = await next();
      const skipped = await schedules.run(scheduleId, { outcome: "SKIPPED" });
      expect(skipped).toMatchObject({ reason: "OVERLAP", messageId: null, messageState: null });
      expect(target.receipts()).toHaveLength(1);
      target.answerWith(status(204));
      first.writeHead(204).end();
      await target.received(2);
      await schedules.act(scheduleId, "pause");
    });

    test("while the monthly limit is used up", async () => {
      const { key } = await service.account({ monthlyMessageLimit: 1 });
      const url = `${service.receiver.url}/over`;
      await service.ok("POST", "/v1/targets", { key, body: { targetId: "t", url } });
      const body = { targetId: "t", ...everySecond, scheduleId: "over" };
      expect((await service.api("POST", "/v1/schedules", { key, body })).status).toBe(201);
      const path = "/v1/schedules/over/runs";
      await expect
        .poll(async () => (await service.ok("GET", path, { key })).items, patiently)
        .toContainEqual(expect.objectContaining({ outcome: "SKIPPED", reason: "E-DI-5005" }));
      const { items } = await service.ok("GET", path, { key });
      expect(items.at(-1)).toMatchObject({ outcome: "CREATED", reason: null });
      expect((await service.api("DELETE", "/v1/schedules/over", { key })).status).toBe(200);
    });
  });

  test("runs for a paused target are made, and wait", async () => {
    const target = await service.target({ paused: true });
    const { targetId } = target;
    const { scheduleId, startTime } = await ahead((time) =>
      schedules.create({ targetId, payload: "", ...daily, startTime: time }),
    );
    const { lastRun } = await schedules.get(scheduleId);
    expect(lastRun).toMatchObject({ runTime: startTime, messageState: "SCHEDULED" });
    await service.ok("POST", `/v1/targets/${targetId}/resume`);
    const [receipt] = await target.received(1);
    expect(receipt?.messageId).toBe(lastRun.messageId);
  });

  describe("trigger", () => {
    test("makes a run now, also of a schedule that is paused", async () => {
      const target = await service.target();
      const { targetId } = target;
      const { scheduleId } = await schedules.create({ targetId, payload: "now", ...yearly });
      await schedules.act(scheduleId, "pause");
      const { status: code, text, body } = await schedules.act(scheduleId, "trigger");
      expect(code, text).toBe(201);
      const run = { scheduleId, trigger: "MANUAL", outcome: "CREATED", reason: null };
      expect(body).toStrictEqual({
        ...{ ...run, runTime: anyInstant, messageState: "SCHEDULED" },
        messageId: expect.stringMatching(/^msg_/),
      });
      const [receipt] = await target.received(1);
      expect(receipt?.headers["postdate-run-time"]).toBe(body.runTime);
      await service.reaches(body.messageId, "DELIVERED");
      const [listed] = await schedules.runs(scheduleId);
      expect(listed).toEqual({ ...body, messageState: "DELIVERED" });
    });

    test("twice at once makes two runs", async () => {
      const { scheduleId } = await made(yearly);
      const answers = await Promise.all([
        schedules.act(scheduleId, "trigger"),
        schedules.act(scheduleId, "trigger"),
      ]);
      const times = new Set(answers.map(({ body }) => body.runTime));
      expect([times.size, (await schedules.runs(scheduleId)).length]).toEqual([2, 2]);
    });

    test("is refused when the monthly limit is used up", async () => {
      const { key } = await service.account({ monthlyMessageLimit: 1 });
      const api = (method: string, path: string, { body }: { body?: object } = {}) =>
        service.api(method, path, { key, body });
      const url = `${service.receiver.url}/limited`;
      await api("POST", "/v1/targets", { body: { targetId: "t", url } });
      const body = { scheduleId: "limited", targetId: "t", payload: "", ...yearly };
      expect((await api("POST", "/v1/schedules", { body })).status).toBe(201);
      const path = "/v1/schedules/limited/trigger";
      const first = await api("POST", path);
      expect(first.status, first.text).toBe(201);
      expect(first.headers.get("ratelimit")).toMatch(/"messages";r=0/);
      const second = await api("POST", path);
      expectRefusal(second, 400, { code: "E-DI-5005" });
      expect(second.headers.get("ratelimit")).toMatch(/"messages";r=0/);
      expect((await api("GET", "/v1/schedules/limited/runs")).body.count).toBe(1);
    });
  });

  describe("pause", () => {
    test("takes back what is not due, until a resume", async () => {
      const { scheduleId, paused } = await ahead(async (startTime) => {
        const created = await made({ ...daily, startTime });
        expect(await statesOf(created.scheduleId)).toEqual(["SCHEDULED"]);
        const answer = await schedules.act(created.scheduleId, "pause", { note: "not now" });
        return { scheduleId: created.scheduleId, paused: answer };
      });
      expect(paused.body).toMatchObject({
        ...{ paused: true, nextRunTime: null, revision: 2 },
        pause: { time: anyInstant, note: "not now", until: null, reason: "REQUESTED" },
      });
      expect(await statesOf(scheduleId)).toEqual(["CANCELLED"]);
      expect(await schedules.runs(scheduleId)).toEqual([]);
      const resumed = await schedules.act(scheduleId, "resume");
      expect(resumed.body).toMatchObject({ paused: false, pause: null });
      expect(resumed.body.nextRunTime).not.toBeNull();
      const again = await schedules.act(scheduleId, "resume");
      expect([again.status, again.body.paused]).toEqual([200, false]);
    });

    test("ends by itself at a time, and tells the run after it", async () => {
      const { scheduleId } = await made({ cron: "0 0 1 1 *" });
      const until = "2990-06-01T00:00:00.000Z";
      const { body } = await schedules.act(scheduleId, "pause", { until });
      expect(body).toMatchObject({
        nextRunTime: "2991-01-01T00:00:00.000Z",
        pause: { until, note: null },
      });
      const forever = await schedules.act(scheduleId, "pause", { until: null, note: null });
      expect(forever.body).toMatchObject({ nextRunTime: null, pause: { until: null } });
    });

    test.each([
      [{ until: "2020-01-01T00:00:00Z" }, "until"],
      [{ until: "tomorrow" }, "until"],
      [{ until: 5 }, "until"],
      [{ note: "" }, "note"],
      [{ note: "a\nb" }, "note"],
      [{ note: "x".repeat(501) }, "note"],
      [{ reason: "x" }, "reason"],
    ])("is refused with %j", async (body, field) => {
      const { scheduleId } = await made(yearly);
      const answer = await schedules.act(scheduleId, "pause", body);
      expectRefusal(answer, 400, { code: "E-DI-1001", field });
      expect(await schedules.get(scheduleId)).toMatchObject({ paused: false, revision: 1 });
    });
  });

  describe("skip", () => {
    test("leaves one run out, and unskip takes that back", async () => {
      const { scheduleId, nextRunTime } = await made({ ...daily, startTime: farAway });
      expect(nextRunTime).toBe(farAway);
      const time = "2999-01-01T01:00:00+01:00";
      const skipped = await schedules.act(scheduleId, "skip", { time });
      expect(skipped.body, skipped.text).toMatchObject({
        ...{ skips: [farAway], nextRunTime: "2999-01-02T00:00:00.000Z", revision: 2 },
      });
      const back = await schedules.act(scheduleId, "unskip", { time: farAway });
      expect(back.body).toMatchObject({ skips: [], nextRunTime: farAway, revision: 3 });
      const again = await schedules.act(scheduleId, "unskip", { time: farAway });
      expectRefusal(again, 409, { code: "E-DI-6004", field: "time" });
    });

    test("cancels the message of a run that is made already, and writes down why", async () => {
      const { scheduleId, startTime } = await ahead(async (time) => {
        const created = await made({ ...daily, startTime: time });
        const { status: code, text } = await schedules.act(created.scheduleId, "skip", { time });
        expect(code, text).toBe(200);
        return created;
      });
      expect(await statesOf(scheduleId)).toEqual(["CANCELLED"]);
      const [run] = await schedules.runs(scheduleId);
      expect(run).toEqual({
        ...{ scheduleId, runTime: startTime, trigger: "TIME", outcome: "SKIPPED" },
        ...{ reason: "REQUESTED", messageId: null, messageState: null },
      });
    });

    test.each(["2999-01-01T00:00:00.001Z", "2020-01-01T00:00:00Z"])(
      "is refused for %s, which is no run to come",
      async (time) => {
        const { scheduleId } = await made({ ...daily, startTime: farAway });
        const answer = await schedules.act(scheduleId, "skip", { time });
        expectRefusal(answer, 409, { code: "E-DI-6004", field: "time" });
      },
    );

    test.each([[{ time: "soon" }], [{ time: null }], [{}]])("is refused with %j", async (body) => {
      const { scheduleId } = await made(yearly);
      for (const action of ["skip", "unskip"]) {
        const answer = await schedules.act(scheduleId, action, body);
        expectRefusal(answer, 400, { code: "E-DI-1001", field: "time" });
      }
    });
  });

  test("an edit takes back what is not due, and makes it again where it still is", async () => {
    const { scheduleId, before, messages } = await ahead(async (startTime) => {
      const created = await made({ ...daily, startTime });
      await schedules.patch(created.scheduleId, { payload: "other" });
      const found = await schedules.messages(created.scheduleId);
      const seen = found.map(({ state, runTime }) => [state, runTime]);
      expect(seen).toEqual([["SCHEDULED", startTime]]);
      const { scheduleId, lastRun } = created;
      return { scheduleId, before: lastRun.messageId, messages: found };
    });
    const path = `/v1/messages/${messages[0].messageId}/payload`;
    expect((await service.ok("GET", path)).payload).toBe("other");
    const [run, ...others] = await schedules.runs(scheduleId);
    expect([run.messageId, others.length]).toEqual([messages[0].messageId, 0]);
    expect((await service.api("GET", `/v1/messages/${before}`)).status).toBe(404);
  });

  describe("removed", () => {
    test("a schedule takes back what is not due, and is gone with its runs", async () => {
      const { scheduleId, targetId } = await ahead(async (startTime) => {
        const schedule = await made({ ...daily, startTime });
        const path = `/v1/schedules/${schedule.scheduleId}`;
        const { lastRun, ...removed } = await service.ok("DELETE", path);
        expect(schedule).toMatchObject(removed);
        expect(lastRun.messageId).toBe(schedule.lastRun.messageId);
        return schedule;
      });
      expect(await statesOf(scheduleId)).toEqual(["CANCELLED"]);
      const again = await service.api("DELETE", `/v1/schedules/${scheduleId}`);
      expectRefusal(again, 404, { code: "E-DI-6001" });
      await schedules.create({ scheduleId, targetId, payload: "", ...yearly });
      expect(await schedules.runs(scheduleId)).toEqual([]);
      expect(await schedules.get(scheduleId)).toMatchObject({ lastRun: null, revision: 1 });
    });

    test("a target cannot be while it has schedules", async () => {
      const { targetId } = await service.target();
      const { scheduleId } = await schedules.create({ targetId, payload: "", ...yearly });
      for (const query of ["", "?messages=cancel"]) {
        const answer = await service.api("DELETE", `/v1/targets/${targetId}${query}`);
        expectRefusal(answer, 409, { code: "E-DI-3003" });
        expect(answer.body.errors[0].message).toContain("schedules");
      }
      await service.ok("DELETE", `/v1/schedules/${scheduleId}`);
      await service.ok("DELETE", `/v1/targets/${targetId}`);
    });
  });

  test("a skip is shown until its time is over, whether or not the next run is near", async () => {
    const { targetId } = await service.target();
    const body = { targetId, payload: "p", ...daily };
    const { scheduleId, startTime } = await ahead(async (given) => {
      const created = await schedules.create({ ...body, startTime: given });
      const { status: answer } = await schedules.act(created.scheduleId, "skip", { time: given });
      expect(answer).toBe(200);
      expect(await schedules.get(created.scheduleId)).toMatchObject({ skips: [given] });
      return created;
    });
    await vi.waitFor(
      async () => expect(await schedules.get(scheduleId)).toMatchObject({ skips: [] }),
      patiently,
    );
    const same = { ...body, startTime };
    for (const answer of [
      await schedules.put(scheduleId, same),
      await schedules.patch(scheduleId, { payload: "p" }),
      await service.api("DELETE", `/v1/schedules/${scheduleId}`),
    ]) {
      expect(answer).toMatchObject({ status: 200, body: { skips: [], startTime } });
    }
  });

  test("a job finds what a schedule has made", async () => {
    const { scheduleId } = await ahead(async (startTime) => {
      const created = await made({ ...daily, startTime });
      await jobs.scheduled(created.targetId, 2);
      const filter = { scheduleId: created.scheduleId };
      expect(await jobs.preview({ action: "cancel", filter })).toMatchObject({ count: 1 });
      const job = await jobs.done({ action: "cancel", filter });
      expect(job).toMatchObject({ filter, matched: 1, done: 1 });
      return created;
    });
    expect(await statesOf(scheduleId)).toEqual(["CANCELLED"]);
    const wrong = await jobs.post({ action: "cancel", filter: { scheduleId: "a b" } });
    expectRefusal(wrong, 400, { code: "E-DI-1001", field: "filter.scheduleId" });
  });

  test("runs that become dead letters pause the schedule", async () => {
    const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
    target.answerWith(status(500));
    const { targetId } = target;
    const { scheduleId } = await schedules.create({
      ...{ targetId, payload: "", everyMs: 1_000, pauseAfterDeadLetters: 2 },
    });
    await expect
      .poll(() => schedules.get(scheduleId), { timeout: 60_000, interval: 100 })
      .toMatchObject({ paused: true, pause: { reason: "DEAD_LETTERS", until: null } });
    const { items } = await service.ok("GET", "/v1/audit-log?limit=100");
    const entry = items.find(
      ({ action, subjectId }: ApiAnswer["body"]) =>
        action === "schedule.paused" && subjectId === scheduleId,
    );
    expect(entry?.actor).toEqual({ kind: "service", id: "postdate" });
  });

  test("the audit log has every change, and neither payloads nor values of headers", async () => {
    const { targetId } = await service.target();
    const message = { headers: { "x-secret": "sesame-1" } };
    const body = { targetId, payload: "sesame-2", ...daily, startTime: farAway, message };
    const { scheduleId } = await schedules.create(body);
    await schedules.put(scheduleId, body);
    await schedules.put(scheduleId, { ...body, maxRuns: 9 });
    await schedules.patch(scheduleId, { payload: "sesame-3", maxRuns: 2 });
    await schedules.act(scheduleId, "pause", { note: "n".repeat(300), until: farAway });
    await schedules.act(scheduleId, "resume");
    await schedules.act(scheduleId, "skip", { time: farAway });
    await schedules.act(scheduleId, "unskip", { time: farAway });
    await schedules.act(scheduleId, "trigger");
    await service.ok("DELETE", `/v1/schedules/${scheduleId}`);
    const { items } = await service.ok("GET", "/v1/audit-log?limit=100");
    const own = items.filter(({ subjectId }: ApiAnswer["body"]) => subjectId === scheduleId);
    const said = own.toReversed().map(({ action, detail }: ApiAnswer["body"]) => [action, detail]);
    expect(said).toEqual([
      ["schedule.created", { targetId }],
      ["schedule.updated", { targetId }],
      ["schedule.updated", { fields: ["payload", "maxRuns"] }],
      ["schedule.paused", { note: `${"n".repeat(199)}…`, until: farAway }],
      ["schedule.resumed", {}],
      ["schedule.skipped", { time: farAway }],
      ["schedule.unskipped", { time: farAway }],
      ["schedule.triggered", {}],
      ["schedule.removed", {}],
    ]);
    expect(JSON.stringify(own)).not.toContain("sesame");
  });
});
