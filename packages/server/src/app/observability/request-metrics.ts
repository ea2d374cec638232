import { Counter } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import { Durations } from "./durations.ts";

/** One route as Prometheus sees it. */
interface RouteCounts {
  readonly labels: { readonly method: string; readonly route: string };
  readonly byStatus: Map<number, number>;
  took: ((durationMs: number) => void) | undefined;
}

/** An error is what must not be missed, so there is a zero before the first one. */
const errors = [500, 503];

/** Counts answers by route. A request costs two look-ups, and labels are written only for a scrape. */
export class RequestMetrics {
  readonly #routes = new Map<string, RouteCounts>();
  readonly #durations: Durations<"method" | "route">;

  constructor(registry: Registry) {
    const routes = this.#routes;
    void new Counter({
      name: "postdate_http_requests_total",
      help: "Requests that were answered, by `method`, `route` and `status`.",
      labelNames: ["method", "route", "status"],
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, byStatus } of routes.values()) {
          for (const [status, count] of byStatus) this.inc({ ...labels, status }, count);
        }
      },
    });
    this.#durations = new Durations(registry, {
      name: "postdate_http_request_duration_seconds",
      help: "Time from a request's head to the beginning of its answer, by `method` and `route`.",
      labelNames: ["method", "route"],
    });
  }

  /** There is such a route, whose answers usually have these statuses. */
  routed(method: string, route: string, statuses: readonly number[]): void {
    const { byStatus } = this.#of(method, route);
    for (const status of [...statuses, ...errors]) byStatus.set(status, 0);
  }

  answered(method: string, route: string, status: number, durationMs: number): void {
    const counts = this.#of(method, route);
    counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
    counts.took ??= this.#durations.series(counts.labels);
    counts.took(durationMs);
  }

  #of(method: string, route: string): RouteCounts {
    const key = `${method} ${route}`;
    let counts = this.#routes.get(key);
    if (counts === undefined) {
      counts = { labels: { method, route }, byStatus: new Map(), took: undefined };
      this.#routes.set(key, counts);
    }
    return counts;
  }
}
