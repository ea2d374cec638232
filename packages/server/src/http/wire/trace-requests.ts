import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /**
     * What messages that this request schedules keep of the trace that it belongs to. Null if it belongs to
     * none, if its trace is not sampled, or if the service takes no part in traces.
     */
    traceParent: string | null;
  }
}

export interface TracedRequest {
  readonly method: string;
  /** A pattern such as `/v1/messages/:messageId`. */
  readonly route: string;
  /** Without the query. */
  readonly path: string;
  readonly scheme: string;
  /** As the caller sent it. */
  readonly traceParent: string | readonly string[] | undefined;
}

/** Hears of each request, if the service takes part in traces. */
export interface RequestTracer {
  begin(request: TracedRequest): RequestTrace;
}

/** One request in a trace. */
export interface RequestTrace {
  /** The `traceparent` that the caller sent, if it is valid and its trace is sampled. */
  readonly sampledParent: string | null;
  /** Null: the connection broke before an answer began. */
  ended(status: number | null): void;
}

/** What callers ask for. Health, metrics and pages would only fill the traces. */
const traced = /^\/(?:v1|oauth)\//;

/** Without a tracer, a request costs nothing. */
export function traceRequests(app: FastifyInstance, tracer: RequestTracer | null): void {
  app.decorateRequest("traceParent", null);
  if (tracer === null) return;
  app.addHook("onRequest", (request, { raw }, done) => {
    const route = request.routeOptions.url ?? "";
    if (request.is404 || !traced.test(route)) return done();
    const trace = tracer.begin({
      method: request.method,
      route,
      path: request.url.split("?", 1)[0]!,
      scheme: request.protocol,
      traceParent: request.headers["traceparent"],
    });
    request.traceParent = trace.sampledParent;
    // The framework tells of no request whose caller hangs up before it is answered.
    raw.once("close", () => trace.ended(raw.headersSent ? raw.statusCode : null));
    return done();
  });
}
