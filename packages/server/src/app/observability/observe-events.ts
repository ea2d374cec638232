import type { EventObserver } from "../../engine/events/create-events.ts";
import type { Metrics } from "./metrics.ts";

/** Counts what becomes of events. */
export function observeEvents(
  metrics: Pick<
    Metrics,
    | "eventsMoved"
    | "eventMoveLag"
    | "eventsRemoved"
    | "eventWebhooks"
    | "eventWebhooksFailing"
    | "eventWebhookLag"
  >,
): EventObserver {
  return {
    eventsMoved: (count) => metrics.eventsMoved.inc(count),
    // Until the next look, others may wait as long.
    eventsWaited: (ms) => metrics.eventMoveLag.dueIn(ms === null ? null : -ms),
    webhooksStand({ webhooks, failing, mostBehind }) {
      metrics.eventWebhooks.set(webhooks);
      metrics.eventWebhooksFailing.set(failing);
      metrics.eventWebhookLag.set(mostBehind);
    },
    eventsRemoved: (count) => metrics.eventsRemoved.inc(count),
  };
}
