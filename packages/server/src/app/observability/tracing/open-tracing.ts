import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { parseKeyPairsIntoRecord } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import { TracerProvider } from "@opentelemetry/sdk-trace";
import type { Settings } from "../../../config/settings.ts";
import type { AttemptTracer } from "../../../engine/delivery/attempt-tracer.ts";
import type { RequestTracer } from "../../../http/wire/trace-requests.ts";
import type { Logger } from "../../../platform/logger.ts";
import type { ProcessIdentity } from "../../../platform/process-identity.ts";
import { pause } from "../../../platform/timers.ts";
import type { Timers } from "../../../platform/timers.ts";
import { boundedExport } from "./bounded-export.ts";
import { chooseSampler } from "./choose-sampler.ts";
import { conventions, systemName } from "./conventions.ts";
import { traceAttempts } from "./trace-attempts.ts";
import { traceCalls } from "./trace-calls.ts";

export interface Tracing {
  readonly attempts: AttemptTracer;
  readonly requests: RequestTracer;
  /** Sends what waits, for a few seconds at most. */
  close(): Promise<void>;
}

export interface TracingOptions {
  readonly endpoint: string;
  readonly settings: Pick<
    Settings,
    "otlpHeaders" | "traceSampler" | "traceSampleRatio" | "traceRelation"
  >;
  readonly identity: ProcessIdentity;
  readonly logger: Pick<Logger, "warn">;
  readonly timers: Timers;
}

/** About 2 MB. At a thousand spans a second, a collector may be silent for two seconds. */
const mostWaiting = 2_048;
const exportTimeoutMs = 3_000;
/** A little longer, so that the reason of a failure is still told. */
const slowestCloseMs = 3_500;
/** In characters: a path may be as long as a header. */
const longestAttribute = 1_024;

/** Loaded only if there is somewhere to send spans to. Registers nothing globally: nobody else's spans are sent. */
export function openTracing({
  endpoint,
  settings,
  identity,
  logger,
  timers,
}: TracingOptions): Tracing {
  const { otlpHeaders, traceSampler, traceSampleRatio, traceRelation } = settings;
  const agentOptions = { keepAlive: true };
  const agent = endpoint.startsWith("https:")
    ? new HttpsAgent(agentOptions)
    : new HttpAgent(agentOptions);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    httpAgentOptions: () => agent,
    timeoutMillis: exportTimeoutMs,
    ...(otlpHeaders === null ? {} : { headers: parseKeyPairsIntoRecord(otlpHeaders) }),
  });
  const own = resourceFromAttributes({
    [conventions.serviceName]: systemName,
    [conventions.serviceVersion]: identity.version,
    [conventions.serviceInstanceId]: identity.node,
  });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(
        detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
      ),
    sampler: chooseSampler(traceSampler, traceSampleRatio),
    spanLimits: { attributeValueLengthLimit: longestAttribute },
    spanProcessors: [
      boundedExport({
        exporter,
        mostWaiting,
        exportTimeoutMs,
        onLost: (spans, error) => logger.warn({ err: reasonOf(error), spans }, "spans lost"),
      }),
    ],
  });
  const tracer = provider.getTracer(systemName, identity.version);
  return {
    attempts: traceAttempts(tracer, traceRelation),
    requests: traceCalls(tracer),
    async close() {
      const closed = new AbortController();
      // What fails is told as lost.
      const closing = provider.shutdown().catch(() => {});
      await Promise.race([closing, pause(timers, slowestCloseMs, closed.signal)]);
      closed.abort();
      // A collector that never ends its answer must not keep the process alive.
      agent.destroy();
    },
  };
}

/** Without what the collector answered, which may be megabytes. */
function reasonOf(error: Error): Error {
  const { message, code } = error as NodeJS.ErrnoException;
  return Object.assign(new Error(message), { code });
}
