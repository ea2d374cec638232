import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { parseTemplate } from "./go-template/parse-template.ts";
import { Templates } from "./go-template/render-template.ts";

export const chartFolder = join(import.meta.dirname, "../../../../../deploy/helm/postdate");

export type Values = Readonly<Record<string, unknown>>;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

const read = (path: string): string => readFileSync(join(chartFolder, path), "utf8");

export const chart: Readonly<Record<string, string>> = parse(read("Chart.yaml"));
export const defaultValues: Values = parse(read("values.yaml"));

/** As Helm lays given values over the chart's. */
export function withValues(values: Values, defaults: Values = defaultValues): Values {
  const isObject = (value: unknown): value is Values =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const laid = Object.entries(values).map(([name, value]) => {
    const before = defaults[name];
    return [name, isObject(value) && isObject(before) ? withValues(value, before) : value];
  });
  return { ...defaults, ...Object.fromEntries(laid) };
}

/** What templates see of an installation named `name`. */
export function templateData(values: Values, name: string): Values {
  return {
    Values: withValues(values),
    Release: { Name: name, Namespace: "somewhere", Service: "Helm" },
    Chart: { Name: chart["name"], Version: chart["version"], AppVersion: chart["appVersion"] },
  };
}

/** The text of each template that makes manifests, by its path. */
export function renderChart(values: Values, name = "shop"): ReadonlyMap<string, string> {
  const templates = new Templates();
  const parsed = globSync("templates/*", { cwd: chartFolder }).map(
    (path) => [path, parseTemplate(read(path))] as const,
  );
  for (const [, nodes] of parsed) templates.define(nodes);
  const data = templateData(values, name);
  return new Map(
    parsed
      .filter(([path]) => !path.endsWith(".tpl"))
      .map(([path, nodes]) => [path, templates.render(nodes, data)]),
  );
}

export function manifestsIn(texts: ReadonlyMap<string, string>): Manifest[] {
  return [...texts]
    .filter(([path]) => path.endsWith(".yaml"))
    .flatMap(([path, text]) =>
      parseAllDocuments(text).flatMap((document) => {
        if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join("\n")}`);
        const manifest: Manifest | null = document.toJS();
        return manifest === null ? [] : [manifest];
      }),
    );
}
