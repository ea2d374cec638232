import { describe, expect, test } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import { onEachStore } from "./support/on-each-store.ts";
import { scheduleCalls } from "./support/schedules.ts";

const yearly = { cron: "0 9 1 1 *", timeZone: "Europe/Berlin", startTime: farAway };
const hourMs = 3_600_000;

const everything = {
  payload: 'a\0b "ü" 😀',
  cron: ["0 9 * * MON-FRI", "30 10 * * SAT"],
  timeZone: "Europe/Berlin",
  startTime: "2990-01-01T00:00:00.000Z",
  endTime: "2995-12-31T23:59:59.999Z",
  maxRuns: 100,
  except: ["2990-12-25", "2990-12-31T09:00"],
  message: {
    labels: { kind: "digest" },
    retryPolicy: { maxAttempts: 1 },
    notAfterMs: hourMs,
    headers: { "X-Secret": "sesame" },
    contentType: "application/json",
    timeoutMs: 1_000,
  },
  flexWindowMs: 60_000,
  overlap: "queue",
  catchUp: { mode: "all", windowMs: hourMs },
  pauseAfterDeadLetters: 3,
};

const defaults = {
  ...{ cron: null, everyMs: null, at: null, timeZone: "UTC", startTime: null, endTime: null },
  ...{ maxRuns: null, except: [], message: {}, flexWindowMs: 0, overlap: "allow" },
  catchUp: { mode: "last", windowMs: 365 * 24 * hourMs },
  ...{ pauseAfterDeadLetters: null, lastRun: null, paused: false, pause: null, skips: [] },
  ...{ runsLeft: null, waitsForMessageId: null },
};

onEachStore((makeService) => {
  const service = makeService();
  const schedules = scheduleCalls(service);

  describe("a schedule", () => {
    test("shows what was given, and defaults for the rest", async () => {
      const { targetId } = await service.target();
      const given = { scheduleId: "plain", targetId, payload: "p", ...yearly };
      const created = await schedules.create(given);
      expect(created).toStrictEqual({
        ...{ ...defaults, ...given, cron: [yearly.cron], revision: 1 },
        nextRunTime: "2999-01-01T08:00:00.000Z",
        ...{ creationTime: anyInstant, updateTime: created.creationTime },
      });
      expect(await schedules.get("plain")).toEqual(created);
    });

    test("takes and shows every field, and no value of a header", async () => {
      const { targetId } = await service.target();
      const created = await schedules.create({ scheduleId: "full", targetId, ...everything });
      const { retryPolicy, ...message } = created.message;
      expect(retryPolicy).toMatchObject({ maxAttempts: 1, maxRetryAfterMs: hourMs });
      expect({ ...created, message }).toStrictEqual({
        ...{ ...defaults, ...everything, scheduleId: "full", targetId, revision: 1 },
        message: {
          ...{ labels: { kind: "digest" }, notAfterMs: hourMs, headers: { "X-Secret": "set" } },
          ...{ contentType: "application/json", timeoutMs: 1_000 },
        },
        ...{ nextRunTime: "2990-01-01T08:00:00.000Z", runsLeft: 100 },
        ...{ creationTime: anyInstant, updateTime: created.creationTime },
      });
      expect(await schedules.get("full")).toEqual(created);
    });

    test("can be due by interval, or at single times", async () => {
      const { targetId } = await service.target();
      const base = { targetId, payload: "" };
      const every = await schedules.create({ ...base, everyMs: hourMs, startTime: farAway });
      expect(every).toMatchObject({ everyMs: hourMs, cron: null, nextRunTime: farAway });
      const at = ["2999-05-01T10:00", "2999-04-01T10:00:30"];
      const zone = { timeZone: "Asia/Tokyo", startTime: farAway };
      const once = await schedules.create({ ...base, at, ...zone });
      expect(once).toMatchObject({ at, nextRunTime: "2999-04-01T01:00:30.000Z" });
    });

    test("has a generated id, unless one is given that is free", async () => {
      const { targetId } = await service.target();
      const body = { targetId, payload: "", ...yearly };
      const { scheduleId } = await schedules.create(body);
      expect(scheduleId).toMatch(/^sch_[0-9a-z]{20}$/);
      const again = await schedules.post({ ...body, scheduleId });
      expectRefusal(again, 409, { code: "E-DI-6002", field: "scheduleId" });
      await schedules.create({ ...body, scheduleId: "preview" });
      expect(await schedules.get("preview")).toMatchObject({ scheduleId: "preview" });
    });

    test("is created by PUT, or replaced as a whole", async () => {
      const { targetId } = await service.target();
      const first = await schedules.put("put", { targetId, ...everything });
      expect(first.status, first.text).toBe(201);
      const second = await schedules.put("put", { targetId, payload: "p", ...yearly });
      expect(second.status, second.text).toBe(200);
      expect(second.body).toStrictEqual({
        ...{ ...defaults, ...yearly, scheduleId: "put", targetId, payload: "p" },
        ...{ cron: [yearly.cron], nextRunTime: "2999-01-01T08:00:00.000Z", revision: 2 },
        creationTime: first.body.creationTime,
        updateTime: anyInstant,
      });
      expect(await schedules.get("put")).toEqual(second.body);
    });

    test("what an answer shows can be put again, and changes nothing", async () => {
      const { targetId } = await service.target();
      const created = await schedules.create({ targetId, payload: "p", ...yearly });
      const { scheduleId, nextRunTime: _, lastRun: __, paused: ___, ...others } = created;
      const { runsLeft: _left, waitsForMessageId: _waits, ...rest } = others;
      const { pause: _p, revision: _r, creationTime: _c, updateTime: _u, skips, ...given } = rest;
      const again = await schedules.put(scheduleId, given);
      expect([again.status, again.body, skips]).toEqual([200, created, []]);
    });

    test("the same put again changes nothing, also with headers", async () => {
      const { targetId } = await service.target();
      const body = { targetId, ...everything };
      const first = await schedules.put("again", body);
      const second = await schedules.put("again", body);
      expect([second.status, second.body]).toEqual([200, first.body]);
      const { message } = everything;
      const other = { ...message, headers: { "X-Secret": "open" } };
      const third = await schedules.put("again", { ...body, message: other });
      expect([third.status, third.body.revision]).toEqual([200, 2]);
    });
  });

  describe("PATCH", () => {
    const made = async (change: object = {}): Promise<ApiAnswer["body"]> => {
      const { targetId } = await service.target();
      return schedules.create({ targetId, ...everything, ...change });
    };

    test("changes what is given, and keeps the rest", async () => {
      const created = await made();
      const { status, text, body } = await schedules.patch(created.scheduleId, {
        ...{ payload: "other", maxRuns: 7, catchUp: { mode: "none" } },
      });
      expect(status, text).toBe(200);
      expect(body).toEqual({
        ...{ ...created, payload: "other", maxRuns: 7, runsLeft: 7, revision: 2 },
        updateTime: anyInstant,
        catchUp: { mode: "none", windowMs: defaults.catchUp.windowMs },
      });
      expect(await schedules.get(created.scheduleId)).toEqual(body);
    });

    test("null restores a default", async () => {
      const created = await made();
      const names = [
        ...["timeZone", "startTime", "endTime", "maxRuns", "except", "message", "flexWindowMs"],
        ...["overlap", "catchUp", "pauseAfterDeadLetters"],
      ];
      const changes = Object.fromEntries(names.map((name) => [name, null]));
      const { body } = await schedules.patch(created.scheduleId, changes);
      expect(body).toMatchObject({ ...defaults, cron: everything.cron, revision: 2 });
    });

    test.each([
      [{ everyMs: hourMs }, { cron: null, everyMs: hourMs, at: null }],
      [{ at: ["2990-05-01T10:00"] }, { cron: null, everyMs: null, at: ["2990-05-01T10:00"] }],
      [
        { cron: null, everyMs: hourMs },
        { cron: null, everyMs: hourMs, at: null },
      ],
      [
        { cron: "@daily", at: null },
        { cron: ["@daily"], everyMs: null, at: null },
      ],
      [{ at: null }, { cron: everything.cron, everyMs: null, at: null }],
    ])("of cron, everyMs and at, %j replaces the old one", async (changes, expected) => {
      const { scheduleId } = await made({ endTime: null });
      const { status, text, body } = await schedules.patch(scheduleId, changes);
      expect(status, text).toBe(200);
      expect(body).toMatchObject(expected);
    });

    test("without a field, or with what is there already, changes nothing", async () => {
      const created = await made();
      const { payload, cron, message } = everything;
      for (const changes of [{}, { payload, cron }, { message, at: null }]) {
        const { status, body } = await schedules.patch(created.scheduleId, changes);
        expect([status, body]).toEqual([200, created]);
      }
    });

    test("is checked together with what stays", async () => {
      const created = await made();
      const { scheduleId } = created;
      for (const [changes, problem] of [
        [{ endTime: "2989-01-01T00:00:00Z" }, { code: "E-DI-1001", field: "endTime" }],
        [{ startTime: farAway }, { code: "E-DI-1001", field: "endTime" }],
        [{ cron: null }, { code: "E-DI-1001", field: "cron" }],
        [{ cron: "0 0 30 2 *" }, { code: "E-DI-6003", field: "cron" }],
        [
          { targetId: "nobody", message: {} },
          { code: "E-DI-3001", field: "targetId" },
        ],
        [
          { targetId: "no body", message: {} },
          { code: "E-DI-3001", field: "targetId" },
        ],
      ] as const) {
        expectRefusal(await schedules.patch(scheduleId, changes), 400, problem);
      }
      expect(await schedules.get(scheduleId)).toEqual(created);
    });

    test("changes that come together all take effect", async () => {
      const { scheduleId } = await made();
      const changes = [
        ...[{ payload: "x" }, { maxRuns: 5 }, { flexWindowMs: 7 }, { overlap: "skip" }],
        ...[{ timeZone: "Asia/Tokyo" }, { pauseAfterDeadLetters: 9 }, { except: ["2991-01-01"] }],
      ];
      const answers = await Promise.all(changes.map((each) => schedules.patch(scheduleId, each)));
      expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
      expect(await schedules.get(scheduleId)).toMatchObject({
        ...Object.assign({}, ...changes),
        revision: 1 + changes.length,
      });
    });
  });

  describe("header values", () => {
    test("are kept if a change says so, for the same target alone", async () => {
      const target = await service.target();
      const { targetId } = target;
      const headers = { "x-one": "first", "x-two": "second" };
      const message = { headers };
      const base = { targetId, payload: "p", ...yearly };
      const { scheduleId } = await schedules.create({ ...base, message });
      const kept = { message: { headers: { "X-One": "set", "x-three": "third" } } };
      const changed = await schedules.patch(scheduleId, kept);
      expect(changed.body.message).toEqual({ headers: { "X-One": "set", "x-three": "set" } });
      await schedules.act(scheduleId, "trigger");
      const [receipt] = await target.received(1);
      expect(receipt?.headers).toMatchObject({ "x-one": "first", "x-three": "third" });
      expect(receipt?.headers).not.toHaveProperty("x-two");

      const other = await service.target();
      const moves = { targetId: other.targetId };
      const unknown = { message: { headers: { "x-four": "set" } } };
      for (const [changes, field] of [
        [unknown, "message.headers.x-four"],
        [moves, "message.headers"],
        [{ ...moves, ...kept }, "message.headers.X-One"],
      ] as const) {
        const answer = await schedules.patch(scheduleId, changes);
        expectRefusal(answer, 400, { code: "E-DI-1001", field });
      }
      const again = await schedules.put(scheduleId, { ...base, ...kept });
      expectRefusal(again, 400, { code: "E-DI-1001", field: "message.headers.X-One" });
      const moved = await schedules.patch(scheduleId, { ...moves, message: { headers } });
      expect(moved.status, moved.text).toBe(200);
    });
  });

  describe("lists", () => {
    test("have schedules by id, of a target, paused or not, in pages", async () => {
      const [target, other] = [await service.target(), await service.target()];
      const made = [];
      for (const [scheduleId, { targetId }] of [
        ["list-c", target],
        ["list-a", target],
        ["list-b", other],
      ] as const) {
        made.push(await schedules.create({ scheduleId, targetId, payload: "p", ...yearly }));
      }
      const paused = (await schedules.act("list-a", "pause")).body;
      const { payload: _, skips: __, ...listed } = paused;
      const list = async (query: string) => {
        const path = `/v1/schedules?limit=100${query}`;
        const { items } = await service.ok("GET", path);
        return items.map(({ scheduleId }: { scheduleId: string }) => scheduleId);
      };
      const ofTarget = `&targetId=${target.targetId}`;
      expect(await list(ofTarget)).toEqual(["list-a", "list-c"]);
      expect(await list(`${ofTarget}&paused=true`)).toEqual(["list-a"]);
      expect(await list(`${ofTarget}&paused=false`)).toEqual(["list-c"]);
      expect(await list("&targetId=nobody")).toEqual([]);
      expect(await list("")).toEqual((await list("")).toSorted());
      expect(await list("")).toEqual(expect.arrayContaining(["list-a", "list-b", "list-c"]));

      const path = `/v1/schedules?limit=1${ofTarget}`;
      const first = await service.ok("GET", path);
      expect(first).toMatchObject({ items: [listed], count: 1 });
      expect(first.items[0]).toStrictEqual(listed);
      const second = await service.ok("GET", `${path}&pageToken=${first.nextPageToken}`);
      expect(second).toMatchObject({ items: [{ scheduleId: "list-c" }], nextPageToken: null });
    });

    test("refuse what they cannot filter by, all at once", async () => {
      const answer = await service.api("GET", "/v1/schedules?paused=yes&targetId=a%20b&limit=0");
      expectRefusal(
        answer,
        400,
        ...["paused", "targetId", "limit"].map((field) => ({ code: "E-DI-1001", field })),
      );
      expectRefusal(await service.api("GET", "/v1/messages?scheduleId=a%20b"), 400, {
        ...{ code: "E-DI-1001", field: "scheduleId" },
      });
    });
  });

  test("what there is not, is 404", async () => {
    const body = { time: farAway };
    for (const id of ["nope", "a%20b", "%00", "x".repeat(65)]) {
      const path = `/v1/schedules/${id}`;
      for (const [method, place, options] of [
        ["GET", path],
        ["PATCH", path, { body: { payload: "x" } }],
        ["DELETE", path],
        ["POST", `${path}/pause`],
        ["POST", `${path}/resume`],
        ["POST", `${path}/trigger`],
        ["POST", `${path}/skip`, { body }],
        ["POST", `${path}/unskip`, { body }],
        ["GET", `${path}/runs`],
      ] as const) {
        const answer = await service.api(method, place, options);
        expectRefusal(answer, 404, { code: "E-DI-6001" });
      }
    }
  });
});
