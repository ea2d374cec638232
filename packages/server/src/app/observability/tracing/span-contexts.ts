import type { SpanContext } from "@opentelemetry/api";
import { TraceFlags } from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";

/** Where another service stands in a trace; undefined if it says so wrongly, or more than once. */
export function readTraceParent(
  given: string | readonly string[] | null | undefined,
): SpanContext | undefined {
  if (typeof given !== "string") return undefined;
  const context = parseTraceParent(given);
  return context === null ? undefined : { ...context, isRemote: true };
}

export function writeTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

export function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}
