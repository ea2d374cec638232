import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/logger.ts";

export interface LogRequestsOptions {
  readonly logger: Pick<Logger, "debug" | "isLevelEnabled">;
  readonly clock: Pick<Clock, "monotonic">;
}

/**
 * Writes a line for each request that was answered, when its answer has been sent. The line has nothing that the caller wrote but the request's id: the path, the query, headers and bodies may hold
 * secrets. Below the debug level it costs nothing.
 */
export function logRequests(app: FastifyInstance, { logger, clock }: LogRequestsOptions): void {
  if (!logger.isLevelEnabled("debug")) return;
  app.addHook("onResponse", (request, reply, done) => {
    const { url } = request.routeOptions;
    logger.debug(
      {
        method: request.method,
        route: request.is404 || url === undefined ? "unrouted" : url,
        status: reply.statusCode,
        durationMs: Math.round((clock.monotonic() - request.arrivedAt) * 1_000) / 1_000,
        accountId: accountOf(request),
        requestId: request.id,
      },
      "request",
    );
    done();
  });
}

/** Null: no guard has let the request in as an account's. */
function accountOf({ caller }: FastifyRequest): string | null {
  return (caller as FastifyRequest["caller"] | undefined)?.accountId ?? null;
}
