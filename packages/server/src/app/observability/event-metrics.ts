import { Counter, Gauge } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import type { Clock } from "../../platform/clock.ts";
import { LagGauge } from "./lag-gauge.ts";

/** What becomes of events at this node. */
export function eventMetrics(registry: Registry, clock: Pick<Clock, "monotonic">) {
  const registers = [registry];
  return {
    eventsMoved: new Counter({
      name: "postdate_events_moved_total",
      help: "Events that this node has moved into the logs of their accounts. The embedded store writes the logs itself, and counts none.",
      registers,
    }),
    eventMoveLag: new LagGauge(registry, clock, {
      name: "postdate_event_move_lag_seconds",
      help: "How long the event that has waited longest has waited to be moved into the log of its account, at most, as far as this node could see. It grows until the node looks again. 0 on the embedded store; NaN on a node that does not deliver.",
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
