import type { Registry } from "@prometheus-io/client";
import type { Clock } from "../../platform/clock.ts";
import { createRememberedRead } from "../../platform/remembered-read.ts";
import type { Timers } from "../../platform/timers.ts";

export interface MetricsText {
  readonly contentType: string;
  readonly body: string;
}

/** Shorter than any useful scrape interval. */
const renderEveryMs = 1_000;

/** Renders at most once in a while, because anybody may ask as often as they like. */
export function createMetricsText(
  registry: Pick<Registry, "contentType" | "metrics">,
  { clock, timers }: { readonly clock: Pick<Clock, "monotonic">; readonly timers: Timers },
): () => Promise<MetricsText> {
  const texts = createRememberedRead({
    read: async () => ({
      contentType: registry.contentType,
      body: withNaN(await registry.metrics()),
    }),
    clock,
    timers,
    freshMs: renderEveryMs,
    usableMs: renderEveryMs,
    spacingMs: renderEveryMs,
  });
  return () => texts.get();
}

/** The library writes `Nan` for an unknown value. The format requires `NaN`. */
function withNaN(text: string): string {
  return text.replaceAll(/^([^#].*) Nan$/gm, "$1 NaN");
}
