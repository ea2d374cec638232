import { runbookOf } from "./alert.ts";
import type { Alert } from "./alert.ts";
import { deliveryAlerts } from "./delivery-alerts.ts";
import { eventAlerts } from "./event-alerts.ts";
import { jobAlerts } from "./job-alerts.ts";
import { serviceAlerts } from "./service-alerts.ts";

export const alerts: readonly Alert[] = [
  ...serviceAlerts,
  ...deliveryAlerts,
  ...jobAlerts,
  ...eventAlerts,
];

const made = "# Made from the code by `npm run docs:reference`.";
/** Strings of JSON are strings of YAML, too. */
const quoted = (text: string): string => JSON.stringify(text);

/** `deploy/prometheus/alerts.yaml` */
export function alertRules(): string {
  const rules = alerts.map(
    (alert) => `      - alert: ${alert.name}
        expr: ${quoted(alert.expr)}
        for: ${alert.holdsFor}
        labels:
          severity: ${alert.severity}
        annotations:
          summary: ${quoted(alert.summary)}
          runbook: ${runbookOf(alert)}
`,
  );
  return `${made}
# The alerts of Postdate. docs/operations/monitoring.md says how to use them; \`runbook\` is a page of the same repository.
groups:
  - name: postdate
    rules:
${rules.join("")}`;
}

/** `deploy/prometheus/alerts.test.yaml`: each alert fires when it should, and not before, and not when all is well. */
export function alertTests(): string {
  return `${made}
# Run it with: promtool test rules deploy/prometheus/alerts.test.yaml
rule_files:
  - alerts.yaml
evaluation_interval: 15s
tests:
${alerts.map((alert) => `${fires(alert)}${staysQuiet(alert)}`).join("")}`;
}

function fires(alert: Alert): string {
  const { series, firesAfter, labels } = alert.example;
  const expected = { severity: alert.severity, ...labels };
  return `  - interval: 15s
    input_series:
${inputs(series)}    alert_rule_test:
      - eval_time: ${halfOf(firesAfter)}
        alertname: ${alert.name}
        exp_alerts: []
      - eval_time: ${firesAfter}
        alertname: ${alert.name}
        exp_alerts:
          - exp_labels:
${entries(expected)}            exp_annotations:
${entries({ summary: withLabels(alert.summary, labels), runbook: runbookOf(alert) })}`;
}

function staysQuiet({ name, example }: Alert): string {
  const times = ["5m", "10m", "15m", "20m"].map(
    (time) => `      - eval_time: ${time}
        alertname: ${name}
        exp_alerts: []
`,
  );
  return `  - interval: 15s
    input_series:
${inputs(example.well)}    alert_rule_test:
${times.join("")}`;
}

function inputs(series: Readonly<Record<string, string>>): string {
  const lines = Object.entries(series).map(
    ([name, values]) => `      - series: ${quoted(name)}
        values: ${quoted(values)}
`,
  );
  return lines.join("");
}

function entries(values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([name, value]) => `${name}: ${quoted(value)}\n`);
  return lines.map((line) => `              ${line}`).join("");
}

function halfOf(minutes: string): string {
  return `${Number.parseInt(minutes) * 30}s`;
}

function withLabels(text: string, labels: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_all, name: string) => labels[name]!);
}
