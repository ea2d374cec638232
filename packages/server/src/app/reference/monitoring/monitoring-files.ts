import { alertRules, alertTests } from "./alert-rules.ts";
import { dashboard } from "./dashboard.ts";
import { scrapeExample } from "./scrape-example.ts";

/** What is committed for Prometheus and Grafana: paths from the root of the repository, with their texts. */
export function monitoringFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["deploy/prometheus/alerts.yaml", alertRules()],
    ["deploy/prometheus/alerts.test.yaml", alertTests()],
    ["deploy/prometheus/prometheus.yaml", scrapeExample()],
    ["deploy/grafana/postdate.json", dashboard()],
  ]);
}
