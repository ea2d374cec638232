import { expect, test } from "vitest";
import type { Postdate } from "../src/index.ts";
import { answer, hangUp, refusal, scriptedServers } from "./support/scripted-server.ts";

const serverWith = scriptedServers();

const schedule = answer(200, { scheduleId: "digest", revision: 1 });
const digest = { targetId: "mail", payload: "hello", cron: "@daily" } as const;

test("a schedule travels as it is given, with dates as times and a value as JSON", async () => {
  const server = await serverWith(answer(201, { scheduleId: "digest" }));
  const startTime = new Date("2030-01-01T09:00:00Z");
  const { scheduleId } = await server.client().schedules.create({
    ...{ scheduleId: "digest", targetId: "mail", json: { kind: "daily" } },
    ...{ everyMs: 60_000, startTime, endTime: null, message: { labels: { a: "b" } } },
  });
  expect(scheduleId).toBe("digest");
  const [request] = server.received;
  expect([request?.method, request?.path]).toEqual(["POST", "/v1/schedules"]);
  expect(request?.json).toEqual({
    ...{ scheduleId: "digest", targetId: "mail", payload: '{"kind":"daily"}' },
    ...{ everyMs: 60_000, startTime: "2030-01-01T09:00:00.000Z", endTime: null },
    message: { labels: { a: "b" } },
  });
});

test.each<[string, (postdate: Postdate) => Promise<unknown>]>([
  ["put", ({ schedules }) => schedules.put("digest", digest)],
  ["update", ({ schedules }) => schedules.update("digest", { json: 1 })],
  ["pause", ({ schedules }) => schedules.pause("digest", { note: "n" })],
  ["resume", ({ schedules }) => schedules.resume("digest")],
  ["skip", ({ schedules }) => schedules.skip("digest", "2030-01-01T09:00:00Z")],
  ["preview", ({ schedules }) => schedules.preview({ cron: "@daily" })],
  ["backfill", ({ schedules }) => schedules.backfill("digest", { from: new Date(0) })],
  ["previewBackfill", ({ schedules }) => schedules.previewBackfill("digest", { from: "x" })],
])("%s is sent again when its answer was lost", async (_, call) => {
  const server = await serverWith(hangUp, answer(200, { occurrences: [] }));
  await call(server.client());
  expect(server.received).toHaveLength(2);
  expect(server.received[1]?.text).toBe(server.received[0]?.text);
});

test.each<[string, (postdate: Postdate) => Promise<unknown>]>([
  ["create", ({ schedules }) => schedules.create(digest)],
  ["remove", ({ schedules }) => schedules.remove("digest")],
  ["trigger", ({ schedules }) => schedules.trigger("digest")],
  ["unskip", ({ schedules }) => schedules.unskip("digest", new Date(0))],
])("%s is not: it may have taken effect", async (_, call) => {
  const server = await serverWith(hangUp, schedule);
  await expect(call(server.client())).rejects.toMatchObject({ mayHaveTakenEffect: true });
  expect(server.received).toHaveLength(1);
});

test.each<[string, (postdate: Postdate) => Promise<unknown>]>([
  [
    "startTime is an invalid Date.",
    ({ schedules }) => schedules.update("digest", { startTime: new Date(Number.NaN) }),
  ],
  ["until is an", ({ schedules }) => schedules.pause("digest", { until: new Date("soon") })],
  ["time is an invalid", ({ schedules }) => schedules.skip("digest", new Date("soon"))],
  [
    "either payload or json",
    ({ schedules }) => schedules.put("digest", { ...digest, json: 1 } as never),
  ],
  ["json cannot be", ({ schedules }) => schedules.update("digest", { json: 1n })],
])("nothing is sent if %s", async (message, call) => {
  const server = await serverWith(schedule);
  await expect(call(server.client())).rejects.toThrow(message);
  expect(server.received).toEqual([]);
});

test("what changes a schedule says only what is given", async () => {
  const server = await serverWith(schedule);
  const { schedules } = server.client();
  await schedules.pause("digest");
  await schedules.pause("digest", { until: new Date("2030-01-01T09:00:00Z") });
  await schedules.skip("digest", new Date("2030-01-01T09:00:00Z"));
  await schedules.update("digest", { cron: null, everyMs: 5_000 });
  expect(server.received.map(({ method, path, text }) => [method, path, text])).toEqual([
    ["POST", "/v1/schedules/digest/pause", ""],
    ["POST", "/v1/schedules/digest/pause", '{"until":"2030-01-01T09:00:00.000Z"}'],
    ["POST", "/v1/schedules/digest/skip", '{"time":"2030-01-01T09:00:00.000Z"}'],
    ["PATCH", "/v1/schedules/digest", '{"cron":null,"everyMs":5000}'],
  ]);
});

test("a schedule that is not there is null", async () => {
  const server = await serverWith(refusal(404, "E-DI-6001"));
  expect(await server.client().schedules.get("digest")).toBeNull();
});

test("lists take their filters", async () => {
  const server = await serverWith(answer(200, { items: [], nextPageToken: null }));
  const { schedules, messages } = server.client();
  await schedules.list({ targetId: "mail", paused: false, limit: 5 }).all();
  await schedules.runs("digest", { limit: 5 }).all();
  await messages.find({ scheduleId: "digest" }).all();
  expect(server.received.map(({ path }) => path)).toEqual([
    "/v1/schedules?targetId=mail&paused=false&limit=5",
    "/v1/schedules/digest/runs?limit=5",
    "/v1/messages?scheduleId=digest",
  ]);
});

test("a preview is the list of its occurrences", async () => {
  const occurrences = [
    {
      ...{ time: "2030-01-01T08:00:00.000Z", localTime: "2030-01-01T09:00:00" },
      ...{ offset: "+01:00", mark: null },
    },
  ];
  const server = await serverWith(answer(200, { occurrences }));
  const from = new Date("2030-01-01T00:00:00Z");
  expect(await server.client().schedules.preview({ cron: "0 9 * * *", from })).toEqual(occurrences);
  expect(server.received[0]?.json).toEqual({ cron: "0 9 * * *", from: from.toISOString() });
});

test("a backfill travels with dates as times, and a key of its own", async () => {
  const server = await serverWith(answer(202, { jobId: "job_1" }));
  const { schedules } = server.client();
  const span = { from: new Date("2030-01-01"), to: new Date("2030-01-02"), ratePerSecond: 5 };
  const { jobId } = await schedules.backfill("digest", span, { idempotencyKey: "k" });
  await schedules.previewBackfill("digest", { from: "2030-01-01T00:00:00Z" });
  expect(jobId).toBe("job_1");
  const [started, previewed] = server.received;
  expect([started?.path, previewed?.path]).toEqual(Array(2).fill("/v1/schedules/digest/backfill"));
  expect(started?.headers["idempotency-key"]).toBe("k");
  expect(started?.json).toEqual({
    ...{ from: "2030-01-01T00:00:00.000Z", to: "2030-01-02T00:00:00.000Z", ratePerSecond: 5 },
  });
  expect(previewed?.json).toEqual({ from: "2030-01-01T00:00:00Z", dryRun: true });
});
