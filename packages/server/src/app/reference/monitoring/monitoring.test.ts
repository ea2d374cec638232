import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { idleSources } from "../../observability/idle-sources.ts";
import { createMetrics } from "../../observability/metrics.ts";
import { alerts } from "./alert-rules.ts";
import { runbookOf } from "./alert.ts";
import { choices } from "./dashboard.ts";
import { monitoringFiles } from "./monitoring-files.ts";
import { rows } from "./rows.ts";
import { ofPrometheus, troublesOf } from "./testing/check-expression.ts";
import { readExpression } from "./testing/read-expression.ts";

const root = join(import.meta.dirname, "../../../../../..");

/** Our registry, as it is built for a service. */
const known = new Map<string, ReadonlySet<string>>(ofPrometheus);
const registered = createMetrics(idleSources).registry.getMetricsAsArray() as unknown as {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}[];
for (const { name, type, labelNames } of registered) {
  known.set(name, new Set(labelNames));
  if (type !== "histogram") continue;
  for (const part of ["sum", "count"]) known.set(`${name}_${part}`, new Set(labelNames));
  known.set(`${name}_bucket`, new Set([...labelNames, "le"]));
}

const panels = rows.flatMap(({ panels: all }) => all);
/** Grafana puts a duration in the place of its variable. */
const shown = panels.flatMap(({ title, queries }) =>
  queries.map(({ expr, legend }) => ({
    title,
    legend,
    expr: expr.replaceAll("$__rate_interval", "5m"),
  })),
);

test("the committed files are what the code makes (npm run docs:reference writes them)", () => {
  for (const [path, text] of monitoringFiles()) {
    expect(readFileSync(join(root, path), "utf8"), path).toBe(text);
  }
});

test("every expression of an alert parses, and asks for metrics and labels that there are", () => {
  for (const { name, expr } of alerts) expect(troublesOf(expr, known), name).toEqual([]);
});

test("every expression of the dashboard parses, and asks for metrics and labels that there are", () => {
  expect(shown.length).toBeGreaterThan(50);
  for (const { title, expr } of shown) expect(troublesOf(expr, known), title).toEqual([]);
});

test("a legend names only labels that its series have", () => {
  for (const { title, expr, legend } of shown) {
    const { selectors, groupings } = readExpression(expr);
    // An aggregation leaves nothing but the labels that it groups by, unless it only chooses some series.
    const grouped = groupings.find(({ operator }) => operator !== "topk");
    const own = known.get(selectors[0]!.metric)!;
    const left = new Set<string>(grouped?.labels ?? ["job", "instance", ...own]);
    const named = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
    expect(
      named.filter((label) => !left.has(label)),
      title,
    ).toEqual([]);
  }
});

test("the choices of the dashboard ask for labels that there are", () => {
  for (const { query } of choices) {
    const [, selector, label] = /^label_values\((.*), (\w+)\)$/.exec(query)!;
    expect(troublesOf(`sum by (${label}) (${selector})`, known)).toEqual([]);
  }
});

test("the dashboard shows every metric of ours", () => {
  const asked = shown.flatMap(({ expr }) => readExpression(expr).selectors);
  const metrics = new Set(asked.map(({ metric }) => metric.replace(/_(?:bucket|sum|count)$/, "")));
  const ours = registered.map(({ name }) => name).filter((name) => name.startsWith("postdate_"));
  expect(ours.length).toBeGreaterThan(30);
  expect(ours.filter((name) => !metrics.has(name))).toEqual([]);
});

test.each([
  ["sum(postdate_ready", "not PromQL"],
  ["postdate_made_up > 1", "no metric postdate_made_up"],
  ['postdate_ready{outcome="x"} == 0', "postdate_ready has no label outcome"],
  ["sum by (outcome) (postdate_ready)", "postdate_ready has no label outcome"],
  ["postdate_delivery_lateness_seconds_bucket_total", "no metric"],
  ["1 > 2", "asks for no metric"],
])("%s would be noticed", (expr, trouble) => {
  const said = (): string => {
    try {
      return troublesOf(expr, known).join();
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(said()).toContain(trouble);
});

test("each alert has its name once, its labels, its runbook, and each runbook has its alert", () => {
  const names = alerts.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, summary, example } of alerts) {
    expect(name).toMatch(/^Postdate(?:[A-Z][a-z]+)+$/);
    const named = [...summary.matchAll(/\{\{ \$labels\.(\w+) \}\}/g)].map(([, label]) => label!);
    expect(
      named.filter((label) => example.labels[label] === undefined),
      name,
    ).toEqual([]);
  }
  const pages = globSync("docs/operations/runbooks/*.md", { cwd: root });
  expect(pages.toSorted()).toEqual(alerts.map(runbookOf).toSorted());
});

test("each runbook names its alert and says what it means, how to see it and what to do", () => {
  for (const alert of alerts) {
    const path = join(root, runbookOf(alert));
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    expect(text.split("\n")[0], path).toBe(`# ${alert.name}`);
    const headings = text.split("\n").filter((line) => line.startsWith("## "));
    expect(headings, path).toEqual(["## What it means", "## How to see it", "## What to do"]);
    expect(text, path).toContain(alert.expr);
  }
});

test("monitoring.md names every alert, with its runbook", () => {
  const page = readFileSync(join(root, "docs/operations/monitoring.md"), "utf8");
  const named = [...page.matchAll(/^\| `(Postdate\w+)` \|.*\[Runbook\]\((.*)\) \|$/gm)];
  expect(named.map(([, name, path]) => [name, `docs/operations/${path}`])).toEqual(
    alerts.map((alert) => [alert.name, runbookOf(alert)]),
  );
});
