import type { EventObserver } from "../../engine/events/create-events.ts";
import type { Metrics } from "./metrics.ts";

/** Counts what becomes of events. */
export function observeEvents(
  metrics: Pick<
    Metrics,
    "eventsMoved" | "eventsRemoved" | "eventWebhooks" | "eventWebhooksFailing" | "eventWebhookLag"
  >,
): EventObserver {
  return {
    eventsMoved: (count) => metrics.eventsMoved.inc(count),
    webhooksStand({ webhooks, failing, mostBehind }) {
      metrics.eventWebhooks.set(webhooks);
      metrics.eventWebhooksFailing.set(failing);
      metrics.eventWebhookLag.set(mostBehind);
    },
    eventsRemoved: (count) => metrics.eventsRemoved.inc(count),
  };
}
