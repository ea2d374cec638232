import { activityBoundsMs as contractBounds } from "@postdate/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { activityBoundsMs } from "../../src/domain/activity.ts";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import type { Api, ApiAnswer } from "../support/api.ts";
import { startClusterOfOne } from "../support/cluster-of-one.ts";
import { startCluster } from "../support/cluster.ts";
import type { Cluster } from "../support/cluster.ts";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import { startReceiver } from "../support/receiver.ts";
import type { Receiver } from "../support/receiver.ts";
import { operatorKey } from "../support/server-process.ts";
import { farAway, patiently } from "../support/shared-service.ts";

const makeDatabase = preparedDatabases();
const env = { POSTDATE_OPERATOR_KEY: operatorKey };
const grounds = {
  "the embedded store": () => startClusterOfOne([], env),
  "two nodes on PostgreSQL": async () => startCluster((await makeDatabase()).url, 2, { env }),
};

type Body = ApiAnswer["body"];

const hour = 3_600_000;
const day = 24 * hour;

test("the contract and the service divide durations and lateness in the same way", () => {
  expect(contractBounds).toEqual(activityBoundsMs);
});

describe.each(Object.entries(grounds))("statistics on %s", (_name, start) => {
  let cluster: Cluster;
  let receiver: Receiver;
  let api: Api;
  beforeAll(async () => {
    cluster = await start();
    receiver = await startReceiver();
    receiver.answerWith(({ path }, response) =>
      response.writeHead(path.endsWith("broken") ? 500 : 204).end(),
    );
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await receiver.close();
  });

  /** Each test has its own account, and calls the nodes in turn. */
  beforeEach(async () => {
    const operator = { key: operatorKey, body: {} };
    const { key } = (await cluster.nodes[0]!.api("POST", "/v1/accounts", operator)).body;
    let calls = 0;
    api = (method, path, options) =>
      cluster.nodes[calls++ % cluster.nodes.length]!.api(method, path, { key, ...options });
  });

  const ok = async (method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await api(method, path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const addTarget = (targetId: string) =>
    ok("POST", "/v1/targets", {
      targetId,
      url: `${receiver.url}/${targetId}`,
      retryPolicy: { maxAttempts: 1 },
    });
  const schedule = (targetId: string, delayMs: number): Promise<Body> =>
    ok("POST", "/v1/messages", { targetId, delayMs, payload: "" });
  /** Asks until everything is counted: on a busy machine that may take longer than an answer. */
  const ask = (path: string, query: Readonly<Record<string, string>> = {}): Promise<Body> =>
    vi.waitFor(async () => {
      const body = await ok("GET", `${path}?${new URLSearchParams(query).toString()}`);
      const isWhole = [body, ...Object.values<Body>(body)].every(
        (part) => part?.exact !== false && part?.runsExact !== false,
      );
      if (!isWhole) throw new Error("it is being counted");
      return body;
    }, patiently);
  const reaches = (messageId: string, state: string): Promise<void> =>
    vi.waitFor(async () => {
      const message = await ok("GET", `/v1/messages/${messageId}`);
      if (message.state !== state) throw new Error(`it is ${message.state}`);
    }, patiently);
  const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

  test("an empty account has nothing", async () => {
    const none = { value: 0, exact: true, asOf: anyInstant };
    expect(await ask("/v1/stats")).toStrictEqual({
      ...{ pending: none, overdue: none, deadLetters: none },
      ...{ dueInMinute: none, dueInHour: none, dueInDay: none },
    });
    expect(await ask("/v1/dead-letters/groups")).toStrictEqual({
      ...{ exact: true, asOf: anyInstant, items: [] },
    });
    const forecast = await ask("/v1/forecast");
    const whole = { exact: true, runsExact: true, counting: false };
    expect(forecast).toMatchObject({ bucket: "hour", ...whole, overdue: 0 });
    expect(forecast.items).toHaveLength(25);
    const activity = await ask("/v1/stats/activity");
    expect(activity).toMatchObject({ bucket: "minute", targetId: null, items: [] });
    expect(activity.total).toMatchObject({ attempts: 0, lateness: { p50Ms: null, p99Ms: null } });
  });

  test("counts what is pending, overdue, due soon and dead", async () => {
    await addTarget("paused");
    await ok("POST", "/v1/targets/paused/pause");
    await schedule("paused", 0);
    await schedule("paused", 30_000);
    await schedule("paused", hour / 2);
    await schedule("paused", day / 2);
    await schedule("paused", 2 * day);
    await addTarget("broken");
    const { messageId } = await schedule("broken", 0);
    await reaches(messageId, "DEAD_LETTER");
    const stats = await ask("/v1/stats");
    const values = Object.entries<Body>(stats).map(([name, { value }]) => [name, value]);
    expect(Object.fromEntries(values)).toEqual({
      ...{ pending: 5, overdue: 1, deadLetters: 1 },
      ...{ dueInMinute: 1, dueInHour: 2, dueInDay: 3 },
    });
    expect(Object.values<Body>(stats).every(({ exact }) => exact)).toBe(true);
  });

  test("a forecast has every message in its bucket", async () => {
    await addTarget("a");
    await addTarget("b");
    const times = [2 * day, 2 * day, 3 * day + 5 * hour, 40 * day].map(inMs);
    for (const [index, deliveryTime] of times.entries()) {
      const targetId = index === 0 ? "a" : "b";
      await ok("POST", "/v1/messages", { targetId, deliveryTime, payload: "" });
    }
    const query = { minTime: inMs(day), maxTime: inMs(10 * day), bucket: "hour" };
    const filled = async (more: Readonly<Record<string, string>> = {}) => {
      const { items, ...rest } = await ask("/v1/forecast", { ...query, ...more });
      const found = items.filter(({ messages }: Body) => messages > 0);
      return { ...rest, found };
    };
    const beginning = (time: string | undefined) =>
      new Date(Math.floor(Date.parse(time!) / hour) * hour).toISOString();
    const all = await filled();
    expect(all).toMatchObject({ exact: true, counting: false, overdue: 0, targetId: null });
    expect(all.found).toEqual([
      { time: beginning(times[0]), messages: 2, runs: 0 },
      { time: beginning(times[2]), messages: 1, runs: 0 },
    ]);
    expect((await filled({ targetId: "a" })).found).toEqual([
      { time: beginning(times[0]), messages: 1, runs: 0 },
    ]);
  });

  test("a forecast begins now, and shows what is overdue apart", async () => {
    await addTarget("paused");
    await ok("POST", "/v1/targets/paused/pause");
    await schedule("paused", 0);
    await schedule("paused", hour);
    const { items, overdue, minTime } = await ask("/v1/forecast", {
      minTime: "2020-01-01T00:00:00Z",
      maxTime: inMs(2 * hour),
      bucket: "hour",
    });
    expect(overdue).toBe(1);
    expect(Date.parse(minTime)).toBeGreaterThan(Date.now() - 2 * hour);
    expect(items.reduce((sum: number, { messages }: Body) => sum + messages, 0)).toBe(1);
  });

  test("a forecast has the runs of schedules beside the messages, and only of this account", async () => {
    await addTarget("a");
    await addTarget("b");
    const put = async (scheduleId: string, body: object, key?: string): Promise<Body> => {
      const options = key === undefined ? { body } : { body, key };
      const answer = await api("PUT", `/v1/schedules/${scheduleId}`, options);
      expect(answer.status, answer.text).toBe(201);
      return answer.body;
    };
    const startTime = inMs(day);
    const quarterly = { cron: "*/15 * * * *", timeZone: "Australia/Lord_Howe", startTime };
    const every = { everyMs: hour / 2, startTime, maxRuns: 100 };
    await put("quarterly", { targetId: "a", payload: "", ...quarterly });
    const { nextRunTime } = await put("every", { targetId: "b", payload: "", ...every });
    const skipped = new Date(Date.parse(nextRunTime) + hour).toISOString();
    await ok("POST", "/v1/schedules/every/skip", { time: skipped });
    await put("paused", { targetId: "a", payload: "", ...quarterly });
    await ok("POST", "/v1/schedules/paused/pause");
    await schedule("a", day + hour);
    // Another account, whose schedules have the same names.
    const operator = { key: operatorKey, body: {} };
    const { key: other } = (await cluster.nodes[0]!.api("POST", "/v1/accounts", operator)).body;
    const body = { targetId: "a", url: `${receiver.url}/a` };
    expect((await api("POST", "/v1/targets", { body, key: other })).status).toBe(200);
    await put("quarterly", { targetId: "a", payload: "", ...quarterly }, other);

    const query = { minTime: startTime, maxTime: inMs(9 * day), bucket: "hour" };
    const runsOf = async (more: Readonly<Record<string, string>> = {}) => {
      const { items, ...rest } = await ask("/v1/forecast", { ...query, ...more });
      expect(rest).toMatchObject({ exact: true, runsExact: true, overdue: 0 });
      return items as Body[];
    };
    const inBuckets = (items: readonly Body[], times: readonly number[]): number[] =>
      items.map(({ time }) => {
        const begins = Date.parse(time);
        return times.filter((at) => at >= begins && at < begins + hour).length;
      });
    const begin = Date.parse(startTime);
    const quarters = Array.from(
      { length: 9 * 96 },
      (_, at) => (Math.ceil(begin / (hour / 4)) + at) * (hour / 4),
    );
    const halves = Array.from({ length: 101 }, (_, at) => begin + (at * hour) / 2).filter(
      (time) => time !== Date.parse(skipped),
    );
    const all = await runsOf();
    expect(all.map(({ runs }) => runs)).toEqual(inBuckets(all, [...quarters, ...halves]));
    expect(all.reduce((sum, { messages }) => sum + messages, 0)).toBe(1);
    const ofB = await runsOf({ targetId: "b" });
    expect(ofB.map(({ runs }) => runs)).toEqual(inBuckets(ofB, halves));
    for (const scheduleId of ["quarterly", "every", "paused"]) {
      await ok("DELETE", `/v1/schedules/${scheduleId}`);
    }
  });

  test("says of each target what is in flight, waits, is dead and failed", async () => {
    const held: (() => void)[] = [];
    receiver.answerWith(({ path }, response) => {
      if (!path.endsWith("busy"))
        return response.writeHead(path.endsWith("broken") ? 500 : 204).end();
      return held.push(() => response.writeHead(204).end());
    });
    await addTarget("broken");
    await ok("POST", "/v1/targets", {
      ...{ targetId: "busy", url: `${receiver.url}/busy`, maxConcurrency: 2, timeoutMs: 60_000 },
    });
    await ok("POST", "/v1/targets", {
      targetId: "calm",
      url: `${receiver.url}/calm`,
      paused: true,
    });
    for (let count = 0; count < 5; count++) await schedule("busy", 0);
    await schedule("broken", 0);
    await schedule("calm", 0);
    const exactly = (value: number) => ({ value, exact: true, asOf: anyInstant });
    const busy = {
      ...{ targetId: "busy", paused: false, inFlight: 2, maxConcurrency: 2 },
      ...{ waiting: exactly(3), deadLetters: exactly(0), lastHour: { attempts: 0, failed: 0 } },
    };
    await vi.waitFor(async () => {
      const { items, nextPageToken } = await ok("GET", "/v1/stats/targets");
      expect(nextPageToken).toBeNull();
      expect(items).toStrictEqual([
        {
          ...{ ...busy, targetId: "broken", inFlight: 0, maxConcurrency: 50 },
          ...{ waiting: exactly(0), deadLetters: exactly(1), lastHour: { attempts: 1, failed: 1 } },
        },
        busy,
        {
          ...{ ...busy, targetId: "calm", inFlight: 0, maxConcurrency: 50 },
          ...{ paused: true, waiting: exactly(1) },
        },
      ]);
    }, patiently);
    // Each node says the same, whichever of them makes the attempts.
    for (const _node of cluster.nodes) {
      const { items } = await ok("GET", "/v1/stats/targets?targetId=busy");
      expect(items).toStrictEqual([busy]);
    }
    const { items, nextPageToken } = await ok("GET", "/v1/stats/targets?limit=1");
    expect(items.map(({ targetId }: { targetId: string }) => targetId)).toEqual(["broken"]);
    const next = await ok("GET", `/v1/stats/targets?limit=1&pageToken=${nextPageToken}`);
    expect(next.items).toStrictEqual([busy]);
    await vi.waitFor(async () => {
      for (const answer of held.splice(0)) answer();
      const [now] = (await ok("GET", "/v1/stats/targets?targetId=busy")).items;
      expect(now).toMatchObject({ inFlight: 0, waiting: { value: 0 } });
    }, patiently);
  });

  test("dead letters are grouped as a job can redrive them", async () => {
    await addTarget("broken");
    for (let count = 0; count < 3; count++) {
      const { messageId } = await schedule("broken", 0);
      await reaches(messageId, "DEAD_LETTER");
    }
    const { items } = await ask("/v1/dead-letters/groups");
    const [group] = items;
    expect(items).toHaveLength(1);
    const newest = (await ask("/v1/targets/broken/dead-letters")).items.at(-1);
    expect(group).toStrictEqual({
      targetId: "broken",
      deadLetterReason: "ATTEMPTS_EXHAUSTED",
      lastStatusCode: 500,
      count: 3,
      firstTime: anyInstant,
      lastTime: newest.deadLetterTime,
      sample: newest,
    });
    const { targetId, deadLetterReason, lastStatusCode } = group;
    const filter = { targetId, deadLetterReason, lastStatusCode };
    const job = await ok("POST", "/v1/jobs", { action: "redrive", filter, dryRun: true });
    expect(job.count).toBe(3);
    expect((await ask("/v1/dead-letters/groups", { targetId: "none" })).items).toEqual([]);
  });

  test("attempts show by outcome, duration and lateness, whichever node made them", async () => {
    await addTarget("good");
    await addTarget("broken");
    const sent = await Promise.all([
      ...Array.from({ length: 6 }, () => schedule("good", 0)),
      ...Array.from({ length: 2 }, () => schedule("broken", 0)),
    ]);
    for (const { messageId, targetId } of sent) {
      await reaches(messageId, targetId === "good" ? "DELIVERED" : "DEAD_LETTER");
    }
    const { total, items, boundsMs } = await vi.waitFor(async () => {
      const activity = await ask("/v1/stats/activity");
      if (activity.total.attempts < 8) throw new Error(`only ${activity.total.attempts} attempts`);
      return activity;
    }, patiently);
    expect(boundsMs).toEqual(activityBoundsMs);
    expect(total).toMatchObject({ attempts: 8, outcomes: { DELIVERED: 6, BAD_STATUS: 2 } });
    for (const { counts } of [total.durations, total.lateness]) {
      expect(counts).toHaveLength(boundsMs.length + 1);
      expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(8);
    }
    expect(items.length).toBeGreaterThan(0);
    for (const bucket of ["hour", "day"]) {
      expect((await ask("/v1/stats/activity", { bucket })).total.attempts).toBe(8);
    }
    const ofOne = await ask("/v1/stats/activity", { targetId: "broken" });
    expect(ofOne).toMatchObject({ targetId: "broken", total: { attempts: 2 } });
  });

  test.each([
    ["/v1/stats", { targetId: "t" }, "targetId"],
    ["/v1/forecast", { bucket: "week" }, "bucket"],
    ["/v1/forecast", { targetId: "no such id!" }, "targetId"],
    ["/v1/forecast", { minTime: "tomorrow" }, "minTime"],
    ["/v1/forecast", { maxTime: farAway, bucket: "day" }, "maxTime"],
    ["/v1/forecast", { minTime: farAway, maxTime: "2998-01-01T00:00:00Z" }, "minTime"],
    ["/v1/stats/activity", { minTime: "2020-01-01T00:00:00Z", bucket: "hour" }, "minTime"],
    ["/v1/stats/activity", { label: "a:b" }, "label"],
    ["/v1/dead-letters/groups", { targetId: "" }, "targetId"],
  ])("%s refuses %j", async (path, query, field) => {
    const answer = await api("GET", `${path}?${new URLSearchParams(query).toString()}`);
    expectRefusal(answer, 400, { code: "E-DI-1001", field });
  });

  test.each(["/v1/forecast", "/v1/stats/activity", "/v1/stats/targets"])(
    "%s of a target that does not exist is 404",
    async (path) => {
      expectRefusal(await api("GET", `${path}?targetId=none`), 404, { code: "E-DI-3004" });
    },
  );
});
