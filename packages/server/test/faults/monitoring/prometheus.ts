import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startProgram } from "../failover/child-program.ts";
import { freePorts } from "../failover/free-ports.ts";

export interface Prometheus extends AsyncDisposable {
  /** The answer of its API. */
  ask<Data>(path: string): Promise<Data>;
  /** The names of the alerts that fire now. */
  firing(): Promise<string[]>;
}

export interface PrometheusOptions {
  readonly program: string;
  readonly folder: string;
  /** The rules to evaluate. */
  readonly rules: string;
  /** `127.0.0.1:7070` */
  readonly scraped: string;
}

interface AlertsData {
  readonly alerts: readonly { readonly state: string; readonly labels: { alertname: string } }[];
}

/** A real Prometheus on loopback that looks once a second. */
export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const { program, folder, rules, scraped } = options;
  const [port] = (await freePorts(1)) as [number];
  const configuration = join(folder, "prometheus.json");
  const everySecond = { scrape_interval: "1s", evaluation_interval: "1s" };
  await writeFile(
    configuration,
    // JSON is YAML, too.
    JSON.stringify({
      global: everySecond,
      rule_files: [rules],
      scrape_configs: [{ job_name: "postdate", static_configs: [{ targets: [scraped] }] }],
    }),
  );
  const running = await startProgram({
    command: program,
    args: [
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    account: undefined,
    folder,
    logFile: join(folder, "prometheus.log"),
  });
  const ask = async <Data>(path: string): Promise<Data> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    if (!answer.ok) throw new Error(`Prometheus answers ${answer.status} to ${path}`);
    return ((await answer.json()) as { readonly data: Data }).data;
  };
  return {
    ask,
    async firing() {
      const { alerts } = await ask<AlertsData>("/api/v1/alerts");
      return alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname);
    },
    [Symbol.asyncDispose]: () => running.kill(),
  };
}
