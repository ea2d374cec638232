import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { PendingCount } from "./pending-count.ts";

/** The buckets are fine in the milliseconds where a scheduler should be, and coarse above. */
const latenessBuckets = [
  0.001, 0.002, 0.003, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];
const durationBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60,
];
const batchBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/**
 * Each measurement wakes the process. With the library's 10 and 100 ms, that is most of what an idle
 * process does.
 */
const loopWatch = { eventLoopMonitoringPrecision: 20, eventLoopUtilizationTimeout: 1_000 };

/**
 * All metrics of the service. `docs/reference/metrics.md` is made from this, and a test compares the
 * two.
 */
export function createMetrics(readPending: () => Promise<PendingCount>) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, ...loopWatch });
  return {
    registry,
    lateness: new Histogram({
      name: "postdate_delivery_lateness_seconds",
      help: "Time from the instant a message was due to the start of the attempt.",
      buckets: latenessBuckets,
      registers,
    }),
    attempts: new Counter({
      name: "postdate_attempts_total",
      help: "Delivery attempts, by `outcome`.",
      labelNames: ["outcome"],
      registers,
    }),
    attemptDuration: new Histogram({
      name: "postdate_attempt_duration_seconds",
      help: "Time from the start of an attempt to its end.",
      buckets: durationBuckets,
      registers,
    }),
    deadLetters: new Counter({
      name: "postdate_dead_letters_total",
      help: "Messages that became dead letters.",
      registers,
    }),
    inFlight: new Gauge({
      name: "postdate_in_flight",
      help: "Attempts that are running, or whose outcome is being written.",
      registers,
    }),
    runningJobs: new Gauge({
      name: "postdate_running_jobs",
      help: "Jobs that this node works on.",
      registers,
    }),
    jobChanges: new Counter({
      name: "postdate_job_changes_total",
      help: "Messages that jobs have changed, by `action`.",
      labelNames: ["action"],
      registers,
    }),
    schedulesAdvanced: new Counter({
      name: "postdate_schedules_advanced_total",
      help: "Steps of recurring schedules that this node has made.",
      registers,
    }),
    scheduleRuns: new Counter({
      name: "postdate_schedule_runs_total",
      help: "Runs that this node has decided by time, by `outcome`.",
      labelNames: ["outcome"],
      registers,
    }),
    scheduleLag: new Gauge({
      name: "postdate_schedule_lag_seconds",
      help: "How long the schedule that has waited longest has waited for its step, after this node's last look.",
      registers,
    }),
    schedulesPaused: new Counter({
      name: "postdate_schedules_paused_total",
      help: "Schedules that paused themselves because their runs became dead letters.",
      registers,
    }),
    lostActivity: new Counter({
      name: "postdate_activity_lost_attempts_total",
      help: "Attempts that are missing in `GET /v1/stats/activity`, because the store did not keep up.",
      registers,
    }),
    pending: new Gauge({
      name: "postdate_pending_messages",
      help: "Messages in the state SCHEDULED, counted every 10 s at most.",
      registers,
      async collect() {
        this.set((await readPending()).pending);
      },
    }),
    pendingAge: new Gauge({
      name: "postdate_pending_messages_age_seconds",
      help: "How long ago `postdate_pending_messages` was counted.",
      registers,
      async collect() {
        this.set((await readPending()).ageMs / 1_000);
      },
    }),
    commitBatch: new Histogram({
      name: "postdate_store_batch_size",
      help: "Calls that shared one commit.",
      buckets: batchBuckets,
      registers,
    }),
    requestsShed: new Counter({
      name: "postdate_requests_shed_total",
      help: "Requests and connections that were refused because of overload, by `reason`.",
      labelNames: ["reason"],
      registers,
    }),
    requestsLimited: new Counter({
      name: "postdate_requests_limited_total",
      help: "Requests beyond the limit of their account, or of their address at the token endpoint.",
      registers,
    }),
    troubles: new Counter({
      name: "postdate_engine_troubles_total",
      help: "Times the engine could not reach its store and had to try again.",
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
