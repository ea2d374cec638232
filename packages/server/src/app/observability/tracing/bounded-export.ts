import { ExportResultCode } from "@opentelemetry/core";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import type { SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import { isSampled } from "./span-contexts.ts";

export interface BoundedExportOptions {
  readonly exporter: SpanExporter;
  /** How many spans may wait, those under way among them. Further ones are dropped. */
  readonly mostWaiting: number;
  readonly exportTimeoutMs: number;
  /** Spans that nobody will see. */
  readonly onLost: (count: number, error: Error) => void;
}

const exportEveryMs = 1_000;
const largestBatch = 512;

/** Sends ended spans in batches, and says which are lost: the library would drop them silently. */
export function boundedExport(options: BoundedExportOptions): SpanProcessor {
  const { exporter, mostWaiting, onLost } = options;
  let waiting = 0;
  const batches = new BatchSpanProcessor({
    exporter: {
      export(spans, done) {
        exporter.export(spans, ({ code, error }) => {
          waiting -= spans.length;
          if (code !== ExportResultCode.SUCCESS) {
            onLost(spans.length, error ?? new Error("the spans were not accepted"));
          }
          // Told above. The library would write it to the console.
          done({ code: ExportResultCode.SUCCESS });
        });
      },
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: mostWaiting,
    maxExportBatchSize: Math.min(largestBatch, mostWaiting),
    scheduledDelayMillis: exportEveryMs,
    // The exporter's own timeout comes first.
    exportTimeoutMillis: options.exportTimeoutMs * 2,
  });
  return {
    onStart: () => {},
    onEnd(span) {
      if (!isSampled(span.spanContext())) return;
      if (waiting >= mostWaiting) return onLost(1, new Error("too many spans wait to be sent"));
      waiting++;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
