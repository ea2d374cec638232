import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { alerts } from "../../src/app/reference/monitoring/alert-rules.ts";
import { rows } from "../../src/app/reference/monitoring/rows.ts";
import { readExpression } from "../../src/app/reference/monitoring/testing/read-expression.ts";
import type { Selector } from "../../src/app/reference/monitoring/testing/read-expression.ts";
import { testDatabases } from "../../src/storage/postgres/testing/test-databases.ts";
import { startCluster } from "../support/cluster.ts";
import { installedPrometheus } from "../support/installed-prometheus.ts";
import { addTarget, scheduleAt, services } from "../support/service.ts";
import { patiently } from "../support/shared-service.ts";

const makeDatabase = testDatabases();
const startService = services();
const args = ["--metrics-per-target", "5"];
const past = "2020-01-01T00:00:00Z";

interface Series {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

async function scrape(url: string): Promise<{ readonly text: string; readonly series: Series[] }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)];
  return {
    text,
    series: samples.map(([, name, labels = "", value]) => ({
      name: name!,
      labels: new Map(
        [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, is]) => [label!, is!]),
      ),
      value: Number(value),
    })),
  };
}

/** `up` is Prometheus' own, and it adds `job` and `instance`, which Grafana's variables choose. */
const selectors = [
  ...alerts.map(({ expr }) => expr),
  ...rows.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))),
]
  .flatMap((expr) => readExpression(expr.replaceAll("$__rate_interval", "5m")).selectors)
  .filter(({ metric }) => metric !== "up");

function isFound({ metric, matchers }: Selector, all: readonly Series[]): boolean {
  return all.some(
    ({ name, labels }) =>
      name === metric &&
      matchers.every(({ label, operator, value }) => {
        if (label === "job" || label === "instance") return true;
        const is = labels.get(label);
        if (is === undefined) return false;
        const matches = new RegExp(`^(?:${value})$`).test(is);
        return operator.startsWith("!") ? !matches : matches;
      }),
  );
}

/** Every value that an expression names must exist, not only one of them. */
function namedValues({ metric, matchers }: Selector): Selector[] {
  return matchers
    .filter(({ label, value }) => !["job", "instance"].includes(label) && /^[\w|/]+$/.test(value))
    .flatMap(({ label, value }) =>
      value.split("|").map((one) => ({ metric, matchers: [{ label, operator: "=", value: one }] })),
    );
}

test.each(["the embedded store", "PostgreSQL"])(
  "on %s each counter is there from the first scrape on, and each selector of alerts and dashboard finds series",
  async (store) => {
    await using owned = new AsyncDisposableStack();
    const service =
      store === "PostgreSQL"
        ? await startOnPostgres(owned)
        : await startService({ args }).then(async (own) => (await addTarget(own), own));
    const { server, api, receiver } = service;
    const first = await scrape(server.url);
    const counters = [...first.text.matchAll(/^# TYPE (postdate_\w+) counter$/gm)];
    expect(counters.length).toBeGreaterThan(15);
    const names = new Set(first.series.map(({ name }) => name));
    const missing = counters.map(([, name]) => name!).filter((name) => !names.has(name));
    expect(missing.filter((name) => !name.startsWith("postdate_target_"))).toEqual([]);

    await scheduleAt(service as never, past);
    await receiver.received(1);
    await expect
      .poll(async () => {
        const { series } = await scrape(server.url);
        const wanted = [...selectors, ...selectors.flatMap(namedValues)];
        return wanted.filter((each) => !isFound(each, series));
      }, patiently)
      .toEqual([]);

    receiver.answerWith(() => {});
    await scheduleAt(service as never, past);
    const valueOf = async (metric: string): Promise<number> =>
      (await scrape(server.url)).series.find(({ name }) => name === metric)!.value;
    await expect.poll(() => valueOf("postdate_overdue_messages"), patiently).toBe(1);
    expect(await valueOf("postdate_oldest_overdue_age_seconds")).toBeGreaterThan(0);
    expect(await valueOf("postdate_ready")).toBe(1);
    const ages = [
      await valueOf("postdate_lease_age_seconds"),
      await valueOf("postdate_look_ahead_age_seconds"),
    ];
    if (store === "PostgreSQL") expect(Math.max(...ages)).toBeLessThan(60);
    else expect(ages).toEqual([Number.NaN, Number.NaN]);
    const { status } = await api("PATCH", "/v1/targets/t", { body: { paused: true } });
    expect(status).toBe(200);
    await expect.poll(() => valueOf("postdate_overdue_messages"), patiently).toBe(0);
  },
);

async function startOnPostgres(owned: AsyncDisposableStack) {
  const { url } = await makeDatabase();
  const cluster = owned.use(await startCluster(url, 1, { args }));
  return { ...cluster.nodes[0]!, receiver: cluster.receiver };
}

test("Prometheus' own tool accepts the rules, where it is installed", async ({ annotate }) => {
  const programs = installedPrometheus();
  if (programs === undefined) {
    // The fault run `alerts-fire` fetches it. Here the expressions were only parsed.
    await annotate("promtool is not installed: Prometheus itself has not checked the rules.");
    return;
  }
  const cwd = join(import.meta.dirname, "../../../../deploy/prometheus");
  const { stdout } = await promisify(execFile)(
    programs.promtool,
    ["test", "rules", "alerts.test.yaml"],
    { cwd },
  );
  expect(stdout).toContain("SUCCESS");
});
