import { Counter, Gauge } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";

/** What becomes of events at this node. */
export function eventMetrics(registry: Registry) {
  const registers = [registry];
  return {
    eventsMoved: new Counter({
      name: "postdate_events_moved_total",
      help: "Events that this node has moved into the logs of their accounts. The embedded store writes the logs itself, and counts none.",
      registers,
    }),
    eventsRemoved: new Counter({
      name: "postdate_events_removed_total",
      help: "Events that this node has removed because they were older than the retention.",
      registers,
    }),
    eventWebhooks: new Gauge({
      name: "postdate_event_webhooks",
      help: "Webhooks of events that this node sends to, after its last look.",
      registers,
    }),
    eventWebhooksFailing: new Gauge({
      name: "postdate_event_webhooks_failing",
      help: "Those of `postdate_event_webhooks` whose last request failed.",
      registers,
    }),
    eventWebhookLag: new Gauge({
      name: "postdate_event_webhook_lag_events",
      help: "The most events that the log of an account has behind the place of one of `postdate_event_webhooks`.",
      registers,
    }),
    eventListeners: new Gauge({
      name: "postdate_event_listeners",
      help: "Streams of events that are open at this node, and calls that wait for events.",
      registers,
    }),
  };
}
