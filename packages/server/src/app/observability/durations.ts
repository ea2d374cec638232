import { Histogram } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";

/** How long one kind of work takes, as Prometheus sees it. */
interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** Of each bucket alone, not of all below it. The last one is for whatever is longer. */
  readonly buckets: number[];
  seconds: number;
}

const upperBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

export interface DurationsOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
}

/**
 * A histogram by labels. The library would check and hash the labels of every measurement; here one costs a few
 * comparisons, and labels are written only for a scrape. The library's own counts stay empty.
 */
export class Durations<Label extends string> extends Histogram<Label> {
  readonly #options: DurationsOptions<Label>;
  readonly #all: Series[] = [];

  constructor(registry: Registry, options: DurationsOptions<Label>) {
    const { name, help } = options;
    const labelNames = [...options.labelNames];
    super({ name, help, labelNames, buckets: upperBounds, registers: [] });
    this.#options = options;
    registry.registerMetric(this);
  }

  /** Begins a series at zero. Answers how to add a measurement to it. */
  series(labels: Readonly<Record<Label, string>>): (durationMs: number) => void {
    const buckets = Array.from({ length: upperBounds.length + 1 }, () => 0);
    const series: Series = { labels, buckets, seconds: 0 };
    this.#all.push(series);
    return (durationMs) => {
      const seconds = durationMs / 1_000;
      let bucket = 0;
      while (bucket < upperBounds.length && seconds > upperBounds[bucket]!) bucket++;
      buckets[bucket]!++;
      series.seconds += seconds;
    };
  }

  override async get() {
    const { name, help } = this.#options;
    const values = this.#all.flatMap((series) => valuesOf(name, series));
    return { name, help, type: "histogram", aggregator: "sum", values } as never;
  }

  /** The library prefers this where it writes text. */
  getForPromString() {
    return this.get();
  }
}

function valuesOf(name: string, { labels, buckets, seconds }: Series) {
  let count = 0;
  const cumulative = buckets.map((own, index) => {
    count += own;
    const le = upperBounds[index] ?? "+Inf";
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...cumulative,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
