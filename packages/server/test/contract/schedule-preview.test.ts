import { describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";

const service = commonService();
const from = "2026-03-27T12:00:00Z";
const berlin = { timeZone: "Europe/Berlin", from };

const preview = (body: unknown) => service.api("POST", "/v1/schedules/preview", { body });

const localTimes = async (body: object): Promise<string[]> => {
  const { status, body: answer, text } = await preview(body);
  expect(status, text).toBe(200);
  return answer.occurrences.map(({ localTime }: { localTime: string }) => localTime);
};

test("a preview has the instants, what clocks show, and what they skip", async () => {
  const answer = await preview({ cron: "0 2,14 * * *", ...berlin, count: 4 });
  expect(answer.status).toBe(200);
  const summer = { offset: "+02:00", mark: null };
  const winter = { offset: "+01:00", mark: null };
  expect(answer.body).toEqual({
    occurrences: [
      { time: "2026-03-27T13:00:00.000Z", localTime: "2026-03-27T14:00:00", ...winter },
      { time: "2026-03-28T01:00:00.000Z", localTime: "2026-03-28T02:00:00", ...winter },
      { time: "2026-03-28T13:00:00.000Z", localTime: "2026-03-28T14:00:00", ...winter },
      {
        ...{ time: "2026-03-29T01:00:00.000Z", localTime: "2026-03-29T03:00:00" },
        ...{ ...summer, mark: "gap" },
      },
    ],
  });
});

describe("what can be asked", () => {
  test.each([
    [{ cron: "0 9 * * MON-FRI", count: 2 }, ["2026-03-30T09:00:00", "2026-03-31T09:00:00"]],
    [
      { cron: ["0 9 * * SAT", "0 8 * * SUN"], count: 2 },
      ["2026-03-28T09:00:00", "2026-03-29T08:00:00"],
    ],
    [{ cron: "@monthly", maxRuns: 1 }, ["2026-04-01T00:00:00"]],
    [
      { at: ["2026-05-01T10:00", "2026-04-01T10:00:30", "2025-01-01T00:00"] },
      ["2026-04-01T10:00:30", "2026-05-01T10:00:00"],
    ],
    [
      { everyMs: 43_200_000, startTime: "2026-01-01T00:00:00Z", count: 2 },
      ["2026-03-28T01:00:00", "2026-03-28T13:00:00"],
    ],
    [{ everyMs: 86_400_000, count: 1 }, ["2026-03-28T13:00:00"]],
    [
      { cron: "0 9 * * *", except: ["2026-03-28", "2026-03-29T09:00"], count: 1 },
      ["2026-03-30T09:00:00"],
    ],
    [
      { cron: "0 9 * * *", startTime: "2026-04-01T00:00:00Z", endTime: "2026-04-02T07:00:00Z" },
      ["2026-04-01T09:00:00", "2026-04-02T09:00:00"],
    ],
    [{ cron: "0 9 * * *", startTime: null, endTime: null, count: 1 }, ["2026-03-28T09:00:00"]],
  ])("%j", async (given, expected) => {
    expect(await localTimes({ ...berlin, ...given })).toEqual(expected);
  });

  test("times after now, in UTC, ten of them, unless the request says otherwise", async () => {
    const before = Date.now();
    const { occurrences } = (await preview({ cron: "* * * * *" })).body;
    expect(occurrences).toHaveLength(10);
    expect(Date.parse(occurrences[0].time)).toBeGreaterThan(before);
    expect(occurrences[0].offset).toBe("+00:00");
  });

  test("times after `from`, and not at it", async () => {
    const given = { cron: "0 13 * * *", ...berlin, count: 1 };
    expect(await localTimes(given)).toEqual(["2026-03-28T13:00:00"]);
  });
});

describe("a whole schedule", () => {
  const whole = {
    ...{ scheduleId: "weekday-digest", payload: "hello", cron: "0 9 * * MON-FRI" },
    message: { labels: { kind: "digest" }, notAfterMs: 60_000, headers: { "x-team": "mail" } },
    ...{ flexWindowMs: 60_000, overlap: "skip", pauseAfterDeadLetters: 3, maxRuns: null },
    catchUp: { mode: "all", windowMs: 60_000 },
  };

  test("can be previewed as it would be created", async () => {
    const { targetId } = await service.target();
    const given = { ...whole, targetId, timeZone: "Europe/Berlin" };
    const times = await localTimes({ ...given, from, count: 2 });
    expect(times).toEqual(["2026-03-30T09:00:00", "2026-03-31T09:00:00"]);
    const scheduleId = `sch-${targetId}`;
    const body = { ...given, scheduleId, startTime: farAway };
    const created = await service.api("POST", "/v1/schedules", { body });
    expect(created.status, created.text).toBe(201);
    const { occurrences } = await service.ok("POST", "/v1/schedules/preview", { body });
    expect(occurrences[0].time).toBe(created.body.nextRunTime);
  });

  test("may have the default of each field as null", async () => {
    const fields = ["message", "flexWindowMs", "overlap", "catchUp", "pauseAfterDeadLetters"];
    const nulls = Object.fromEntries(fields.map((name) => [name, null]));
    expect(await localTimes({ cron: "0 9 * * *", ...berlin, ...nulls, count: 1 })).toEqual([
      "2026-03-28T09:00:00",
    ]);
  });

  test.each([
    [{ targetId: "no-such-target" }, "targetId", "E-DI-3001"],
    [{ targetId: 5 }, "targetId", "E-DI-1001"],
    [{ scheduleId: "not an id" }, "scheduleId", "E-DI-1001"],
    [{ payload: "x".repeat(61_441) }, "payload", "E-DI-5002"],
    [{ message: { headers: { host: "x" } } }, "message.headers.host", "E-DI-1001"],
    [{ message: { key: "k" } }, "message.key", "E-DI-1001"],
    [{ labels: {} }, "labels", "E-DI-1001"],
    [{ overlap: "never" }, "overlap", "E-DI-1001"],
    [{ flexWindowMs: -1 }, "flexWindowMs", "E-DI-1001"],
    [{ catchUp: { mode: "some" } }, "catchUp.mode", "E-DI-1001"],
    [{ pauseAfterDeadLetters: 0 }, "pauseAfterDeadLetters", "E-DI-1001"],
  ])("is refused with %o as a new one is", async (given, field, code) => {
    const { targetId } = await service.target();
    const body = { ...whole, scheduleId: "never-made", targetId, ...given };
    const previewed = await preview(body);
    expectRefusal(previewed, 400, { code, field });
    const created = await service.api("POST", "/v1/schedules", { body });
    expect(previewed.body.errors).toEqual(created.body.errors);
  });

  test("is refused for all that is wrong with it", async () => {
    const answer = await preview({ cron: "x", targetId: "nobody", message: { key: "k" } });
    const fields = answer.body.errors.map(({ field }: { field: string }) => field);
    expect(fields.toSorted()).toEqual(["cron", "message.key", "targetId"]);
  });
});

describe("what is refused", () => {
  test.each([
    [{}, "cron", "give one of cron, everyMs and at"],
    [{ cron: "@daily", everyMs: 1_000 }, "everyMs", "both given"],
    [{ cron: "0 22-2 * * *" }, "cron", 'character 3, "22-2": a range goes up: write 22-23,0-2'],
    [{ cron: ["@daily", "5/10 * * * *"] }, "cron[1]", "write 5-59/10"],
    [{ cron: [] }, "cron", "at least 1 entry"],
    [{ cron: 5 }, "cron", "must be a string or a list"],
    [{ cron: "@daily", timeZone: "+01:00" }, "timeZone", "must not be an offset"],
    [{ cron: "@daily", timeZone: "Mars/Olympus" }, "timeZone", "Give an IANA name"],
    [{ cron: "@daily", timeZone: "BST" }, "timeZone", "must not be an abbreviation"],
    [{ cron: "@daily", timeZone: "EDT" }, "timeZone", "Give an IANA name"],
    [{ cron: "@daily", timeZone: "Europe/\u212Aiev" }, "timeZone", "Give an IANA name"],
    [{ everyMs: 999 }, "everyMs", "1000 or more"],
    [{ at: ["2026-04-01T10:00Z"] }, "at[0]", "so it has no offset"],
    [{ cron: "@daily", except: ["2026-02-30"] }, "except[0]", "there is no day 30"],
    [{ cron: "@daily", startTime: "now" }, "startTime", "RFC 3339"],
    [{ cron: "@daily", startTime: from, endTime: "2026-01-01T00:00:00Z" }, "endTime", "is before"],
    [{ cron: "@daily", count: 101 }, "count", "100 or less"],
    [{ cron: "@daily", from: "tomorrow" }, "from", "cannot be read"],
    [{ cron: "@daily", zone: "UTC" }, "zone", "There is no field"],
  ])("%j", async (body, field, message) => {
    const answer = await preview(body);
    expectRefusal(answer, 400, { code: "E-DI-1001", field });
    expect(answer.body.errors[0].message).toContain(message);
  });

  test("all that is wrong at once", async () => {
    const answer = await preview({ cron: "x", timeZone: "y", count: 0 });
    expect(answer.status).toBe(400);
    const fields = answer.body.errors.map(({ field }: { field: string }) => field);
    expect(fields.toSorted()).toEqual(["count", "cron", "timeZone"]);
  });

  test.each([
    [{ cron: "0 0 30 2 *" }, "cron", "Check its days and months"],
    [{ at: ["2020-01-01T00:00"] }, "at", "each of its times is past"],
    [
      { everyMs: 1_000, endTime: "2020-01-01T00:00:00Z" },
      "everyMs",
      "endTime, 2020-01-01T00:00:00.000Z, is past",
    ],
  ])("%j never comes", async (given, field, message) => {
    const answer = await preview({ ...berlin, ...given });
    expectRefusal(answer, 400, { code: "E-DI-6003", field });
    expect(answer.body.errors[0].message).toContain(message);
  });
});
