import type { DeliveryObserver } from "../../engine/delivery/delivery-observer.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Metrics } from "./metrics.ts";

/** Counts every attempt, and logs one line for each with all its details, except the payload. */
export function observeDeliveries(metrics: Metrics, logger: Logger): DeliveryObserver {
  return {
    attemptStarted: (latenessMs) => metrics.lateness.observe(latenessMs / 1_000),
    attemptEnded(event) {
      const { attempt } = event;
      const durationMs = attempt.endTime - attempt.startTime;
      metrics.attempts.add(attempt.outcome);
      metrics.attemptDuration.observe(durationMs / 1_000);
      if (event.became === "DEAD_LETTER") metrics.deadLetters.inc();
      const level = attempt.outcome === "DELIVERED" ? "info" : "warn";
      if (!logger.isLevelEnabled(level)) return;
      const { attempt: _, targetKey: _key, ...message } = event;
      logger[level](
        {
          ...message,
          attempt: attempt.number,
          outcome: attempt.outcome,
          statusCode: attempt.statusCode,
          error: attempt.error,
          durationMs,
        },
        "attempt",
      );
    },
    claimed: (count) => metrics.claims.inc(count),
    inFlight: (count) => metrics.inFlight.set(count),
    trouble(error, doing) {
      metrics.troubles.inc();
      logger.error({ err: error }, `trouble while ${doing}`);
    },
  };
}
