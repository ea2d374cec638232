import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../../../src/storage/postgres/testing/test-databases.ts";
import { apiOf } from "../../support/api.ts";
import type { Api } from "../../support/api.ts";
import { startReceiver } from "../../support/receiver.ts";
import { makeDataDir, startServerProcess } from "../../support/server-process.ts";
import type { ServerProcess } from "../../support/server-process.ts";
import { linkTo } from "../support/cuttable-link.ts";
import { findPrometheus } from "./debian-prometheus.ts";
import { hastenRules } from "./hastened-rules.ts";
import { startPrometheus } from "./prometheus.ts";
import type { Prometheus } from "./prometheus.ts";

const makeDatabase = testDatabases();
const shipped = join(import.meta.dirname, "../../../../../deploy/prometheus/alerts.yaml");
const patiently = { timeout: 150_000, interval: 1_000 };
let folder: string;
let program: string;
let rules: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "postdate-alerts-"));
  program = (await findPrometheus(join(folder, "package"))).prometheus;
  rules = join(folder, "rules.yaml");
  await hastenRules(shipped, rules);
}, 300_000);
afterAll(() => rm(folder, { recursive: true }));

interface QueryData {
  readonly result: readonly unknown[];
}

async function watch(server: ServerProcess): Promise<Prometheus> {
  const place = await mkdtemp(join(folder, "watching-"));
  const scraped = new URL(server.url).host;
  const prometheus = await startPrometheus({ program, folder: place, rules, scraped });
  // What a counter has counted before the first sample is no increase.
  const samples = () => prometheus.ask<QueryData>("/api/v1/query?query=postdate_ready");
  await expect.poll(async () => (await samples()).result, patiently).toHaveLength(1);
  return prometheus;
}

const seen =
  (api: Api) =>
  async (method: string, path: string, body?: object): Promise<Record<string, string>> => {
    const answer = await api(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };

/** What has been raised since the last time somebody asked: some alerts last for half a minute. */
async function expectRaised(prometheus: Prometheus, names: readonly string[]): Promise<void> {
  const raised = new Set<string>();
  await expect
    .poll(async () => {
      for (const name of await prometheus.firing()) raised.add(name);
      return names.filter((name) => !raised.has(name));
    }, patiently)
    .toEqual([]);
}

async function expectOver(prometheus: Prometheus, names: readonly string[]): Promise<void> {
  const stillOf = async () => (await prometheus.firing()).filter((name) => names.includes(name));
  await expect.poll(stillOf, patiently).toEqual([]);
}

test("a receiver that fails, then is slow: each alert is raised, and is over when it is well again", async () => {
  await using owned = new AsyncDisposableStack();
  const dataDir = owned.use(await makeDataDir());
  const receiver = owned.use(await startReceiver());
  const slots = 18;
  const server = await startServerProcess({
    dataDir: dataDir.path,
    args: ["--max-in-flight", `${slots}`],
  });
  owned.defer(() => server.kill());
  const prometheus = owned.use(await watch(server));
  const call = seen(apiOf(server.url));
  const target = (targetId: string, more: object = {}) =>
    call("POST", "/v1/targets", { targetId, url: `${receiver.url}/${targetId}`, ...more });
  const send = (targetId: string, count: number) => {
    const messages = Array.from({ length: count }, () => ({ targetId, delayMs: 0, payload: "x" }));
    return call("POST", "/v1/messages/batch", { messages });
  };

  receiver.answerWith((_, response) => response.writeHead(500).end());
  await target("frail", { retryPolicy: { maxAttempts: 1 } });
  const types = ["message.dead_lettered"];
  await call("POST", "/v1/event-endpoints", {
    kind: "webhook",
    url: `${receiver.url}/told`,
    types,
  });
  await send("frail", 30);
  await call("POST", "/v1/schedules", {
    ...{ scheduleId: "tick", targetId: "frail", payload: "x" },
    ...{ everyMs: 1_000, pauseAfterDeadLetters: 1 },
  });
  const failures = ["PostdateAttemptsFailing", "PostdateDeadLetters", "PostdateSchedulesPaused"];
  const lasting = "PostdateEventsNotTaken";
  await expectRaised(prometheus, [...failures, lasting]);
  const redrive = { action: "redrive", filter: { targetId: "frail" }, stopAfterFailures: 1 };
  await call("POST", "/v1/jobs", redrive);
  await expectRaised(prometheus, ["PostdateJobsPaused"]);
  receiver.answerWith((_, response) => response.writeHead(204).end());
  await expectOver(prometheus, [...failures, lasting, "PostdateJobsPaused"]);

  // One account alone: it gets less than all slots.
  let isSlow = true;
  receiver.answerWith((_, response) => {
    if (!isSlow) response.writeHead(204).end();
  });
  for (let number = 0; number < slots; number++) {
    await target(`slow-${number}`);
    await send(`slow-${number}`, slots);
  }
  await expectRaised(prometheus, ["PostdateSlotsTaken"]);
  isSlow = false;
  await expectRaised(prometheus, ["PostdateDeliveriesLate"]);
  await expectOver(prometheus, ["PostdateSlotsTaken", "PostdateDeliveriesLate"]);

  await server.kill();
  await expectRaised(prometheus, ["PostdateNodeDown"]);
}, 900_000);

test("a database that is cut off: each alert is raised, and is over when it is back", async () => {
  await using owned = new AsyncDisposableStack();
  const dataDir = owned.use(await makeDataDir());
  const link = owned.use(await linkTo((await makeDatabase()).url));
  const server = await startServerProcess({
    dataDir: dataDir.path,
    env: { POSTDATE_DATABASE_URL: link.url, POSTDATE_ENCRYPTION_KEY: "ab".repeat(32) },
  });
  owned.defer(() => server.kill());
  const prometheus = owned.use(await watch(server));
  const api = apiOf(server.url);
  const url = "http://127.0.0.1:9/";
  await seen(api)("POST", "/v1/targets", { targetId: "t", url, paused: true });
  const schedule = { scheduleId: "tick", targetId: "t", payload: "x", everyMs: 1_000 };
  await seen(api)("POST", "/v1/schedules", schedule);
  const troubles = [
    ...["PostdateNotReady", "PostdateOutOfTouch", "PostdateStoreTrouble"],
    ...["PostdateRequestsFailing", "PostdateSchedulesBehind", "PostdateEventsBehind"],
  ];
  // From then on the node knows when the schedule is to go on.
  const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
  await expect.poll(metrics, patiently).toMatch(/^postdate_schedules_advanced_total [1-9]/m);

  const mended = new AbortController();
  link.become("refusing");
  const calling = (async () => {
    while (!mended.signal.aborted) await api("GET", "/v1/targets").catch(() => {});
  })();
  await expectRaised(prometheus, troubles);
  mended.abort();
  await calling;
  link.become("open");
  await expectOver(prometheus, troubles);
}, 900_000);
