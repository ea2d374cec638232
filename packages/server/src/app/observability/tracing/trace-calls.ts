import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Tracer } from "@opentelemetry/api";
import type { RequestTracer } from "../../../http/wire/trace-requests.ts";
import { conventions } from "./conventions.ts";
import { isSampled, readTraceParent, writeTraceParent } from "./span-contexts.ts";

/** What `error.type` says of a request whose caller hung up before it was answered. */
const unanswered = "unanswered";

/** A span for each request of a caller, in the caller's trace if there is one. */
export function traceCalls(tracer: Tracer): RequestTracer {
  return {
    begin({ method, route, path, scheme, traceParent }) {
      const caller = readTraceParent(traceParent);
      const span = tracer.startSpan(
        `${method} ${route}`,
        {
          kind: SpanKind.SERVER,
          attributes: {
            [conventions.httpRequestMethod]: method,
            [conventions.httpRoute]: route,
            [conventions.urlPath]: path,
            [conventions.urlScheme]: scheme,
          },
        },
        caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller),
      );
      return {
        sampledParent: caller !== undefined && isSampled(caller) ? writeTraceParent(caller) : null,
        ended(status) {
          if (status !== null) span.setAttribute(conventions.httpResponseStatusCode, status);
          const failure = status === null ? unanswered : status >= 500 ? String(status) : undefined;
          if (failure !== undefined) {
            span.setAttribute(conventions.errorType, failure);
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        },
      };
    },
  };
}
