import { collectDefaultMetrics, Counter, Gauge, Registry } from "@prometheus-io/client";
import { shedReasons } from "../../http/load/shed-load.ts";
import { Counts } from "./counts.ts";
import { deliveryMetrics } from "./delivery-metrics.ts";
import { eventMetrics } from "./event-metrics.ts";
import { jobMetrics } from "./job-metrics.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { storeMetrics } from "./store-metrics.ts";
import type { StoreSources } from "./store-metrics.ts";
import { TargetMetrics } from "./target-metrics.ts";

/**
 * Each measurement wakes the process. With the library's 10 and 100 ms, that is most of what an idle
 * process does.
 */
const loopWatch = { eventLoopMonitoringPrecision: 20, eventLoopUtilizationTimeout: 1_000 };

/** What the metrics are read from at a scrape, and what they say of the process. */
export interface MetricSources extends StoreSources {
  readonly version: string;
  readonly slots: number;
  /** The most targets with series of their own. */
  readonly metricsPerTarget: number;
  readonly isReady: () => Promise<boolean>;
}

/**
 * All metrics of the service. `docs/reference/metrics.md` is made from this, and a test compares the
 * two.
 */
export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  const registers = [registry];
  const { version, isReady } = sources;
  collectDefaultMetrics({ register: registry, ...loopWatch });
  new Gauge({
    name: "postdate_build_info",
    help: "Always 1. Its labels say which `version` runs, on which `node_version` of Node.js.",
    labelNames: ["version", "node_version"],
    registers,
  }).set({ version, node_version: process.version }, 1);
  void new Gauge({
    name: "postdate_ready",
    help: "1 while `/readyz` would answer with 200, 0 while with 503.",
    registers,
    async collect() {
      this.set((await isReady()) ? 1 : 0);
    },
  });
  return {
    registry,
    requests: new RequestMetrics(registry),
    requestsShed: new Counts(registry, {
      name: "postdate_requests_shed_total",
      help: "Requests and connections that were refused because of overload, by `reason`.",
      label: "reason",
      values: shedReasons,
    }),
    requestsLimited: new Counter({
      name: "postdate_requests_limited_total",
      help: "Requests beyond the limit of their account, or of their address at the token endpoint.",
      registers,
    }),
    valuesSealedAnew: new Counter({
      name: "postdate_values_sealed_anew_total",
      help: "Secrets that this node has sealed anew in an exchange of the encryption key.",
      registers,
    }),
    ...deliveryMetrics(registry, sources.slots),
    ...jobMetrics(registry, sources.clock),
    ...eventMetrics(registry, sources.clock),
    ...storeMetrics(registry, sources),
    targets:
      sources.metricsPerTarget === 0
        ? null
        : new TargetMetrics(registry, { most: sources.metricsPerTarget, clock: sources.clock }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
