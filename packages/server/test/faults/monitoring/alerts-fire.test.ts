import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alerts } from "../../../src/app/reference/monitoring/alert-rules.ts";
import { apiOf } from "../../support/api.ts";
import type { PrometheusPrograms } from "../../support/installed-prometheus.ts";
import { startReceiver } from "../../support/receiver.ts";
import { makeDataDir, startServerProcess } from "../../support/server-process.ts";
import { findPrometheus } from "./debian-prometheus.ts";
import { startPrometheus } from "./prometheus.ts";

const shipped = join(import.meta.dirname, "../../../../../deploy/prometheus");
const rules = join(shipped, "alerts.yaml");
const patiently = { timeout: 240_000, interval: 1_000 };

interface RulesData {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly name: string;
      readonly health: string;
      readonly lastError?: string;
    }[];
  }[];
}

let folder: string;
let programs: PrometheusPrograms;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "postdate-prometheus-"));
  programs = await findPrometheus(join(folder, "package"));
}, 300_000);
afterAll(() => rm(folder, { recursive: true }));

test("Prometheus' own tool accepts the rules and the example, and each alert fires when it should", async () => {
  const check = (...args: readonly string[]) =>
    promisify(execFile)(programs.promtool, args, { cwd: shipped });
  expect((await check("check", "rules", "alerts.yaml")).stdout).toContain(
    `${alerts.length} rules found`,
  );
  expect((await check("check", "config", "prometheus.yaml")).stdout).toContain("SUCCESS");
  expect((await check("test", "rules", "alerts.test.yaml")).stdout).toContain("SUCCESS");
});

test("when all targets hang, Prometheus raises the alert for overdue messages, and takes it back when they answer", async () => {
  await using owned = new AsyncDisposableStack();
  const dataDir = owned.use(await makeDataDir());
  const receiver = owned.use(await startReceiver());
  const server = await startServerProcess({ dataDir: dataDir.path });
  owned.defer(() => server.kill());
  const prometheus = owned.use(
    await startPrometheus({
      program: programs.prometheus,
      folder,
      rules,
      scraped: new URL(server.url).host,
    }),
  );
  const api = apiOf(server.url);
  const targets = ["one", "two", "three"];
  for (const targetId of targets) {
    const { status, text } = await api("POST", "/v1/targets", {
      body: {
        targetId,
        url: `${receiver.url}/${targetId}`,
        timeoutMs: 5_000,
        retryPolicy: { maxAttempts: 50, backoff: { kind: "list", delaysMs: [1_000] } },
      },
    });
    if (status !== 200) throw new Error(`no target: ${status} ${text}`);
  }
  const schedule = async (targetId: string): Promise<void> => {
    const body = { targetId, delayMs: 0, payload: "hello" };
    const { status, text } = await api("POST", "/v1/messages", { body });
    if (status !== 200) throw new Error(`not scheduled: ${status} ${text}`);
  };

  // While all is well, every rule can be evaluated on what the server says, and nothing fires.
  await Promise.all(targets.map(schedule));
  await receiver.received(targets.length);
  const healthOfRules = async (): Promise<string[]> => {
    const { groups } = await prometheus.ask<RulesData>("/api/v1/rules");
    return groups.flatMap((group) =>
      group.rules.map(({ health, lastError }) => `${health} ${lastError ?? ""}`.trim()),
    );
  };
  await expect.poll(healthOfRules, patiently).toEqual(alerts.map(() => "ok"));
  expect(await prometheus.firing()).toEqual([]);

  let hangs = true;
  receiver.answerWith((_, response) => {
    if (!hangs) response.writeHead(204).end();
  });
  const perTarget = Array.from({ length: 200 }, () => targets).flat();
  await Promise.all(perTarget.map(schedule));
  await expect.poll(() => prometheus.firing(), patiently).toContain("PostdateMessagesOverdue");

  hangs = false;
  await expect.poll(() => prometheus.firing(), patiently).not.toContain("PostdateMessagesOverdue");
}, 600_000);
