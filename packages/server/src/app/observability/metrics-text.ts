import type { Registry } from "@prometheus-io/client";
import type { Clock } from "../../platform/clock.ts";
import { createRememberedRead } from "../../platform/remembered-read.ts";
import type { Timers } from "../../platform/timers.ts";

export interface MetricsText {
  readonly contentType: string;
  readonly body: string;
}

/** Less than anybody scrapes for a good reason. */
const renderEveryMs = 1_000;

/** Renders at most once in a while: anybody may ask, as often as they like. */
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

/** The library writes `Nan` for a value that nobody knows; the format's word is `NaN`. */
function withNaN(text: string): string {
  return text.replaceAll(/^([^#].*) Nan$/gm, "$1 NaN");
}
