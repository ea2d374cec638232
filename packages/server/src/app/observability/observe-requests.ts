import type { HttpObserver } from "../../http/http-options.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Metrics } from "./metrics.ts";

/** Logging each refusal would add to the overload. */
const sayEveryMs = 10_000;

export interface ObserveRequestsOptions {
  readonly metrics: Pick<Metrics, "requests" | "requestsShed" | "requestsLimited">;
  readonly logger: Logger;
  readonly clock: Pick<Clock, "monotonic">;
}

export function observeRequests({ metrics, logger, clock }: ObserveRequestsOptions): HttpObserver {
  let saidAt = -Infinity;
  return {
    routed: (method, route, statuses) => metrics.requests.routed(method, route, statuses),
    shed(reason) {
      metrics.requestsShed.add(reason);
      const now = clock.monotonic();
      if (now - saidAt < sayEveryMs) return;
      saidAt = now;
      logger.warn({ reason }, "overloaded: requests are turned away");
    },
    answered: (method, route, status, durationMs) =>
      metrics.requests.answered(method, route, status, durationMs),
    limited: () => metrics.requestsLimited.inc(),
  };
}
