import { readExpression } from "./read-expression.ts";

/** The labels of each metric, also by the names that a histogram has in PromQL. */
export type KnownMetrics = ReadonlyMap<string, ReadonlySet<string>>;

/** Prometheus adds these to every series, and this metric. */
const ofEverySeries: ReadonlySet<string> = new Set(["job", "instance"]);
export const ofPrometheus = new Map([["up", new Set<string>()]]);

/** What is wrong with an expression; nothing: it parses, and every metric and label in it exists. */
export function troublesOf(expr: string, known: KnownMetrics): string[] {
  const { selectors, groupings } = readExpression(expr);
  const has = (metric: string, label: string): boolean =>
    ofEverySeries.has(label) || known.get(metric)?.has(label) === true;
  const missing = (metric: string, labels: readonly string[]): string[] =>
    labels.filter((label) => !has(metric, label)).map((label) => `${metric} has no label ${label}`);
  return [
    ...(selectors.length === 0 ? ["asks for no metric"] : []),
    ...selectors
      .filter(({ metric }) => !known.has(metric))
      .map(({ metric }) => `no metric ${metric}`),
    ...selectors.flatMap(({ metric, matchers }) =>
      missing(
        metric,
        matchers.map(({ label }) => label),
      ),
    ),
    ...groupings.flatMap((grouping) =>
      grouping.selectors.flatMap(({ metric }) => missing(metric, grouping.labels)),
    ),
  ];
}
