import type { MetricSources } from "./metrics.ts";

/** A service where nothing happens: what the reference pages are made from. It has every metric there is. */
export const idleSources: MetricSources = {
  version: "",
  clock: { monotonic: () => 0 },
  slots: 0,
  metricsPerTarget: 1,
  isReady: async () => false,
  readCounts: async () => ({ pending: 0, overdue: 0, oldestOverdueMs: 0, ageMs: 0 }),
  waitingCalls: () => 0,
};
