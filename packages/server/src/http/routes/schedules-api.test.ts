import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { AuditNote } from "../../domain/audit.ts";
import { auditNote, theService } from "../../operations/audit/audit-note.ts";
import { systemRandom } from "../../platform/random.ts";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi();
afterEach(() => vi.restoreAllMocks());

const farAway = "2999-01-01T00:00:00.000Z";
const schedule = { targetId: "t", payload: "p", cron: "@daily", startTime: farAway };

beforeAll(async () => {
  const body = { targetId: "t", url: "https://hooks.example.com/in" };
  await api.call({ method: "POST", url: "/v1/targets", body });
});

const put = (scheduleId: string, body: object = schedule) =>
  api.call({ method: "PUT", url: `/v1/schedules/${scheduleId}`, body });
const patch = (scheduleId: string, body: object) =>
  api.call({ method: "PATCH", url: `/v1/schedules/${scheduleId}`, body });

/** Runs `before` in front of the first calls of this verb: so many, or all. */
function interfere(
  verb: "changeSchedule" | "createSchedule",
  before: () => Promise<unknown>,
  times = Infinity,
): void {
  const change = api.store[verb] as (...values: unknown[]) => Promise<never>;
  let calls = 0;
  vi.spyOn(api.store, verb).mockImplementation(async (...values: unknown[]) => {
    if (calls++ < times) await before();
    return change(...values);
  });
}

const note = (): AuditNote =>
  auditNote(systemRandom, theService, {
    ...{ action: "schedule.updated", accountId: "acc_default", subjectId: "s" },
  });

test("a change is made again if another came first, and both take effect", async () => {
  const ref = { accountId: "acc_default", scheduleId: "revised" };
  expect((await put("revised")).statusCode).toBe(201);
  const change = api.store.changeSchedule.bind(api.store);
  const pause = () => change(ref, { kind: "pause", note: "x", until: null }, note());
  interfere("changeSchedule", pause, 2);
  const answer = await patch("revised", { payload: "changed" });
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.json()).toMatchObject({ payload: "changed", paused: true, revision: 4 });
});

test("a change that never comes first gives up, and the caller may try again", async () => {
  const ref = { accountId: "acc_default", scheduleId: "restless" };
  await put("restless");
  const change = api.store.changeSchedule.bind(api.store);
  const pause = () => change(ref, { kind: "pause", note: "x", until: null }, note());
  interfere("changeSchedule", pause);
  expect((await patch("restless", { payload: "changed" })).statusCode).toBe(503);
});

test("a change of what is removed meanwhile is 404", async () => {
  const ref = { accountId: "acc_default", scheduleId: "gone" };
  await put("gone");
  interfere("changeSchedule", () => api.store.removeSchedule(ref, note()));
  const answer = await patch("gone", { payload: "changed" });
  expect([answer.statusCode, answer.json().errors[0].code]).toEqual([404, "E-DI-6001"]);
});

test("what another caller creates at the same moment is replaced", async () => {
  const create = api.store.createSchedule.bind(api.store);
  const ref = { accountId: "acc_default", scheduleId: "twins" };
  const { payload } = schedule;
  await put("model");
  const definition = {
    ...(await api.store.getSchedule({ ...ref, scheduleId: "model" }))!,
    payload,
  };
  interfere("createSchedule", () => create({ ...ref, definition }, note()), 1);
  const answer = await put("twins", { ...schedule, payload: "mine" });
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.json()).toMatchObject({ payload: "mine", revision: 2 });
});

test("the engine is told of what was made ahead", async () => {
  const before = api.due.length;
  const answer = await put("ahead", { targetId: "t", payload: "", everyMs: 1_000 });
  expect(answer.statusCode, answer.body).toBe(201);
  const created = Date.parse(answer.json().creationTime);
  const told = api.due.slice(before).map(({ dueAt }) => (dueAt - created) % 1_000);
  expect(told).toEqual([0]);
});

test("a node with older time-zone data than another asks the caller to try again", async () => {
  await put("zoned");
  const older = { kind: "older-time-zones" } as const;
  vi.spyOn(api.store, "createSchedule").mockResolvedValue(older);
  vi.spyOn(api.store, "changeSchedule").mockResolvedValue(older);
  const answers = [
    await api.call({ method: "POST", url: "/v1/schedules", body: schedule }),
    await put("zoned", { ...schedule, payload: "changed" }),
    await patch("zoned", { payload: "changed" }),
    await api.call({ method: "POST", url: "/v1/schedules/zoned/resume" }),
    await api.call({ method: "POST", url: "/v1/schedules/zoned/trigger" }),
  ];
  for (const answer of answers) {
    expect(answer.statusCode, answer.body).toBe(503);
    expect(answer.headers["retry-after"]).toBe("1");
    expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-9002" }] });
    expect(answer.body).toContain("older time-zone data");
  }
});
