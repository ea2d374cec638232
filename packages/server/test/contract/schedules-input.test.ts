import { beforeAll, describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import { scheduleCalls } from "./support/schedules.ts";

const service = commonService();
const schedules = scheduleCalls(service);

let base: { readonly targetId: string; readonly payload: string };
const when = { cron: "@yearly", startTime: farAway };
beforeAll(async () => {
  base = { targetId: (await service.target()).targetId, payload: "p" };
});

const dayMs = 86_400_000;
const invalid = (field: string) => ({ code: "E-DI-1001", field });

test.each(["__proto__", "constructor"])("a field %s is unknown, and is named", async (field) => {
  const body = Object.fromEntries([...Object.entries({ ...base, ...when }), [field, 1]]);
  const message = `There is no field "${field}" here. Leave it out.`;
  const { status, body: refusal } = await schedules.post(body);
  expect([status, refusal.errors]).toEqual([400, [{ ...invalid(field), message }]]);
});

test.each<[object, string, string]>([
  [{ timezone: "Europe/Berlin" }, "timezone", 'Did you mean "timeZone"?'],
  [{ max_runs: 3 }, "max_runs", 'Did you mean "maxRuns"?'],
  [{ message: { timeoutMS: 100 } }, "message.timeoutMS", 'Did you mean "message.timeoutMs"?'],
  [{ timezone: "UTC", timeZone: "UTC" }, "timezone", "Leave it out."],
  [{ ["timeZone".repeat(100)]: 1 }, `${"timeZone".repeat(12)}time…`, "Leave it out."],
])("of an unknown field it says which is meant: %o", async (change, field, advice) => {
  const given = { ...base, ...when, ...change };
  const { status, body } = await schedules.put("typo", given);
  const message = `There is no field "${field}" here. ${advice}`;
  expect([status, body.errors]).toEqual([400, [{ ...invalid(field), message }]]);
});

test("only the first of many unknown fields are compared with the known ones", async () => {
  const slips = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`timezone${"_".repeat(index)}`, 1]),
  );
  const { body } = await schedules.put("typo", { ...base, ...when, ...slips });
  const asked = body.errors.filter(({ message }: { message: string }) =>
    message.includes("Did you mean"),
  );
  expect([body.errors.length, asked.length]).toEqual([40, 20]);
});

test("of an unknown query parameter, too", async () => {
  const { body } = await service.api("GET", "/v1/schedules?targetID=a");
  const message = 'There is no query parameter "targetID" here. Did you mean "targetId"?';
  expect(body.errors).toEqual([{ ...invalid("targetID"), message }]);
});

describe("bounds", () => {
  test.each<[object]>([
    [{ ...when, scheduleId: "A-z_09".padEnd(64, "x") }],
    [{ cron: "@yearly", payload: "😀".repeat(61_440) }],
    [{ cron: Array.from({ length: 10 }, (_, index) => `${index} 0 1 1 *`) }],
    [{ everyMs: 1_000, startTime: farAway }],
    [{ everyMs: 31_622_400_000, startTime: farAway }],
    [
      {
        at: Array.from({ length: 100 }, (_, at) => `${3_000 + at}-01-01T00:00`),
        startTime: farAway,
      },
    ],
    [{ ...when, except: Array.from({ length: 500 }, (_, index) => `${2_100 + index}-01-02`) }],
    [{ ...when, maxRuns: 1_000_000_000, flexWindowMs: dayMs, pauseAfterDeadLetters: 100 }],
    [{ ...when, maxRuns: 1, flexWindowMs: 0, pauseAfterDeadLetters: 1 }],
    [{ ...when, catchUp: { windowMs: 1 } }],
    [{ ...when, catchUp: { mode: "none", windowMs: 31_622_400_000 } }],
    [{ ...when, catchUp: {}, message: {}, except: [] }],
    [{ ...when, everyMs: null, at: null, timeZone: null, endTime: null, overlap: null }],
    [{ ...when, message: { notAfterMs: 1, timeoutMs: 100 } }],
  ])("takes %j", async (change) => {
    const created = await schedules.create({ ...base, ...change });
    expect(await schedules.get(created.scheduleId)).toEqual(created);
    await service.ok("DELETE", `/v1/schedules/${created.scheduleId}`);
  });

  test.each<[object, string]>([
    [{ scheduleId: "" }, "scheduleId"],
    [{ scheduleId: "a b" }, "scheduleId"],
    [{ scheduleId: "x".repeat(65) }, "scheduleId"],
    [{ payload: 5 }, "payload"],
    [{ cron: [] }, "cron"],
    [{ cron: Array.from({ length: 11 }, () => "@yearly") }, "cron"],
    [{ cron: "5/10 * * * *" }, "cron"],
    [{ cron: ["@yearly", "@reboot"] }, "cron[1]"],
    [{ cron: undefined }, "cron"],
    [{ cron: null }, "cron"],
    [{ everyMs: 5_000 }, "everyMs"],
    [{ cron: null, everyMs: 999 }, "everyMs"],
    [{ cron: null, everyMs: 31_622_400_001 }, "everyMs"],
    [{ cron: null, at: [] }, "at"],
    [{ cron: null, at: ["2999-01-01"] }, "at[0]"],
    [{ timeZone: "+02:00" }, "timeZone"],
    [{ timeZone: "Mars/Base" }, "timeZone"],
    [{ timeZone: "BST" }, "timeZone"],
    [{ startTime: "soon" }, "startTime"],
    [{ endTime: "2998-01-01T00:00:00Z" }, "endTime"],
    [{ maxRuns: 0 }, "maxRuns"],
    [{ maxRuns: 1e300 }, "maxRuns"],
    [{ except: ["someday"] }, "except[0]"],
    [{ except: Array.from({ length: 501 }, () => "2999-01-02") }, "except"],
    [{ flexWindowMs: -1 }, "flexWindowMs"],
    [{ flexWindowMs: dayMs + 1 }, "flexWindowMs"],
    [{ overlap: "never" }, "overlap"],
    [{ catchUp: "all" }, "catchUp"],
    [{ catchUp: { mode: "some" } }, "catchUp.mode"],
    [{ catchUp: { windowMs: 0 } }, "catchUp.windowMs"],
    [{ catchUp: { windowMs: 31_622_400_001 } }, "catchUp.windowMs"],
    [{ pauseAfterDeadLetters: 0 }, "pauseAfterDeadLetters"],
    [{ pauseAfterDeadLetters: 101 }, "pauseAfterDeadLetters"],
    [{ message: { labels: { "A B": "x" } } }, "message.labels.A B"],
    [{ message: { headers: { host: "x" } } }, "message.headers.host"],
    [{ message: { headers: { "x-a": "set" } } }, "message.headers.x-a"],
    [{ message: { contentType: "a\nb" } }, "message.contentType"],
    [{ message: { timeoutMs: 99 } }, "message.timeoutMs"],
    [{ message: { notAfterMs: 0 } }, "message.notAfterMs"],
    [{ message: [] }, "message"],
    [{ unknown: 1 }, "unknown"],
  ])("refuses %j", async (change, field) => {
    expectRefusal(await schedules.post({ ...base, ...when, ...change }), 400, invalid(field));
  });

  test.each(["put", "patch"] as const)("refuses an abbreviation in a %s, too", async (how) => {
    const given = { ...base, ...when };
    const { scheduleId } = await schedules.create(given);
    const answer = await schedules[how](scheduleId, { ...given, timeZone: "BST" });
    expectRefusal(answer, 400, invalid("timeZone"));
  });

  test("refuses a payload that is too long", async () => {
    const answer = await schedules.post({ ...base, ...when, payload: "x".repeat(61_441) });
    expectRefusal(answer, 400, { code: "E-DI-5002", field: "payload" });
  });

  test.each([
    { cron: "0 0 30 2 *" },
    { at: ["2020-01-01T00:00"] },
    { cron: "@daily", endTime: "2020-01-01T00:00:00Z" },
    { at: ["2999-01-01T00:00"], startTime: farAway, except: ["2999-01-01"] },
    { at: ["2999-01-01T00:00"] },
  ])("refuses %j, which never comes", async (change) => {
    const field = "at" in change ? "at" : "cron";
    const answer = await schedules.post({ ...base, ...change });
    expectRefusal(answer, 400, { code: "E-DI-6003", field });
  });
});

describe("what belongs elsewhere is refused with a hint", () => {
  test.each([
    [{ message: { key: "k" } }, "message.key", /overlap/],
    [{ message: { onConflict: "keep" } }, "message.onConflict", /overlap/],
    [{ message: { debounce: { quietMs: 1 } } }, "message.debounce", /overlap/],
    [{ message: { notAfter: farAway } }, "message.notAfter", /message\.notAfterMs/],
    [{ message: { flexWindowMs: 5 } }, "message.flexWindowMs", /itself/],
    [{ labels: { a: "b" } }, "labels", /into message/],
    [{ headers: { a: "b" } }, "headers", /into message/],
    [{ notAfterMs: 5 }, "notAfterMs", /into message/],
    [{ key: "k" }, "key", /overlap/],
    [{ deliveryTime: farAway }, "deliveryTime", /cron, everyMs and at/],
    [{ paused: true }, "paused", /\/pause/],
  ])("%j", async (change, field, hint) => {
    const { scheduleId } = await schedules.create({ ...base, ...when });
    const given = { ...base, ...when, ...change };
    for (const answer of [
      await schedules.post(given),
      await schedules.put("belongs", given),
      await schedules.patch(scheduleId, change),
    ]) {
      expectRefusal(answer, 400, invalid(field));
      expect(answer.body.errors[0].message).toMatch(hint);
    }
  });

  test("the id of a schedule is in the path", async () => {
    const body = { ...base, ...when, scheduleId: "other" };
    expectRefusal(await schedules.put("path", body), 400, invalid("scheduleId"));
    const { scheduleId } = await schedules.create({ ...base, ...when });
    const renamed = await schedules.patch(scheduleId, { scheduleId: "other" });
    expectRefusal(renamed, 400, invalid("scheduleId"));
  });

  test("an id that no schedule can have is refused, before anything is made", async () => {
    for (const id of ["a%20b", "x".repeat(65), "%E4%BD%A0"]) {
      const answer = await schedules.put(id, { ...base, ...when });
      expectRefusal(answer, 400, invalid("scheduleId"));
    }
  });
});

test("all problems come in one answer", async () => {
  const { payload: _, ...unpaid } = base;
  const wrong = {
    ...{ ...unpaid, targetId: "nobody", scheduleId: "a b", cron: "x", timeZone: "UTC+1" },
    ...{ startTime: "a", except: ["b"], maxRuns: 0, overlap: "c" },
    message: { labels: { "A B": "x" }, headers: { host: "x" }, timeoutMs: 1, key: "k" },
  };
  const fields = [
    ...["scheduleId", "payload", "cron", "timeZone", "startTime", "except[0]", "maxRuns"],
    ...["overlap", "message.labels.A B", "message.headers.host", "message.timeoutMs"],
    "message.key",
  ];
  const target = { code: "E-DI-3001", field: "targetId" };
  expectRefusal(await schedules.post(wrong), 400, ...fields.map(invalid), target);
  const { scheduleId: __, ...put } = wrong;
  const others = fields.filter((field) => field !== "scheduleId");
  expectRefusal(await schedules.put("wrong", put), 400, ...others.map(invalid), target);
  const { scheduleId } = await schedules.create({ ...base, ...when });
  const changed = others.filter((field) => field !== "payload");
  expectRefusal(await schedules.patch(scheduleId, put), 400, ...changed.map(invalid), target);
});

test.each([null, [], "x", 5])("a body that is %j is refused", async (body) => {
  const { scheduleId } = await schedules.create({ ...base, ...when });
  const path = `/v1/schedules/${scheduleId}`;
  for (const [method, place] of [
    ["POST", "/v1/schedules"],
    ["PUT", path],
    ["PATCH", path],
    ["POST", `${path}/pause`],
    ["POST", `${path}/skip`],
    ["POST", `${path}/trigger`],
  ] as const) {
    const answer = await service.api(method, place, { body: JSON.stringify(body) });
    expect(answer.status, `${method} ${place}: ${answer.text}`).toBe(400);
    expect(answer.body.errors[0].code).toBe("E-DI-1001");
  }
});
