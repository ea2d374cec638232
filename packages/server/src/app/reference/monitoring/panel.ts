/** One picture on the dashboard. */
export interface Panel {
  readonly title: string;
  readonly description?: string;
  readonly kind: "stat" | "timeseries";
  /** As Grafana names units. */
  readonly unit: Unit;
  readonly queries: readonly Query[];
}

type Unit = "short" | "s" | "ops" | "reqps" | "percentunit" | "bytes" | "none";

interface Query {
  readonly expr: string;
  /** With `{{label}}`, as Grafana writes it. */
  readonly legend: string;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** The nodes that the viewer has chosen, and further conditions. */
export function of(metric: string, conditions = ""): string {
  const more = conditions === "" ? "" : `,${conditions}`;
  return `${metric}{job="$job",instance=~"$instance"${more}}`;
}

export function rate(metric: string, conditions = ""): string {
  return `rate(${of(metric, conditions)}[$__rate_interval])`;
}

export function sumBy(labels: string, expression: string): string {
  return labels === "" ? `sum(${expression})` : `sum by (${labels}) (${expression})`;
}

/** A quantile of a histogram, over all chosen nodes. */
export function quantile(q: number, metric: string, labels = "", conditions = ""): string {
  const by = ["le", ...(labels === "" ? [] : [labels])].join(", ");
  return `histogram_quantile(${q}, ${sumBy(by, rate(`${metric}_bucket`, conditions))})`;
}

export function quantiles(metric: string): readonly Query[] {
  return [0.5, 0.9, 0.99].map((q) => ({ expr: quantile(q, metric), legend: `p${q * 100}` }));
}
