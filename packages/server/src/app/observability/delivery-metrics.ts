import { Counter, Gauge, Histogram } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import { attemptOutcomes } from "../../domain/attempt.ts";
import { Counts } from "./counts.ts";

/** The buckets are fine in the milliseconds where a scheduler should be, and coarse above. */
const latenessBuckets = [
  0.001, 0.002, 0.003, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];
const durationBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60,
];

/** What becomes of messages at this node. */
export function deliveryMetrics(registry: Registry, slots: number) {
  const registers = [registry];
  new Gauge({
    name: "postdate_slots",
    help: "How many attempts may run at once: `--max-in-flight`.",
    registers,
  }).set(slots);
  return {
    lateness: new Histogram({
      name: "postdate_delivery_lateness_seconds",
      help: "Time from the instant a message was due to the start of the attempt.",
      buckets: latenessBuckets,
      registers,
    }),
    attempts: new Counts(registry, {
      name: "postdate_attempts_total",
      help: "Delivery attempts, by `outcome`.",
      label: "outcome",
      values: attemptOutcomes,
    }),
    attemptDuration: new Histogram({
      name: "postdate_attempt_duration_seconds",
      help: "Time from the start of an attempt to its end.",
      buckets: durationBuckets,
      registers,
    }),
    changes: new Counts(registry, {
      name: "postdate_message_changes_total",
      help: "Messages that callers have scheduled, cancelled and rescheduled at this node, by `change`.",
      label: "change",
      values: ["scheduled", "cancelled", "rescheduled"],
    }),
    deadLetters: new Counter({
      name: "postdate_dead_letters_total",
      help: "Messages that became dead letters.",
      registers,
    }),
    claims: new Counter({
      name: "postdate_claims_total",
      help: "Messages that this node has claimed for an attempt.",
      registers,
    }),
    inFlight: new Gauge({
      name: "postdate_in_flight",
      help: "Attempts that are running, or whose outcome is being written.",
      registers,
    }),
    troubles: new Counter({
      name: "postdate_engine_troubles_total",
      help: "Times the engine could not reach its store and had to try again.",
      registers,
    }),
    lostActivity: new Counter({
      name: "postdate_activity_lost_attempts_total",
      help: "Attempts that are missing in `GET /v1/stats/activity`, because the store did not keep up.",
      registers,
    }),
  };
}
