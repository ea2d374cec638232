import { Counter, Gauge } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import { jobActions } from "../../domain/job.ts";
import { runOutcomes } from "../../domain/schedules/run.ts";
import type { Clock } from "../../platform/clock.ts";
import { Counts } from "./counts.ts";
import { LagGauge } from "./lag-gauge.ts";
import { OldestAgeGauge } from "./oldest-age-gauge.ts";

/** What jobs and recurring schedules do at this node. */
export function jobMetrics(registry: Registry, clock: Pick<Clock, "monotonic">) {
  const registers = [registry];
  return {
    runningJobs: new Gauge({
      name: "postdate_running_jobs",
      help: "Jobs that this node works on.",
      registers,
    }),
    jobChanges: new Counts(registry, {
      name: "postdate_job_changes_total",
      help: "Messages that jobs have changed, by `action`.",
      label: "action",
      values: jobActions,
    }),
    jobSkips: new Counts(registry, {
      name: "postdate_job_skips_total",
      help: "Messages that jobs have met and could not change, by `action`.",
      label: "action",
      values: jobActions,
    }),
    jobSteps: new OldestAgeGauge(registry, clock, {
      name: "postdate_job_step_age_seconds",
      help: "How long ago the job that has waited longest, of those this node works on, made a step. 0 without jobs.",
    }),
    jobsPaused: new Counter({
      name: "postdate_jobs_paused_total",
      help: "Jobs that paused themselves at this node, because what they redrove failed again.",
      registers,
    }),
    schedulesAdvanced: new Counter({
      name: "postdate_schedules_advanced_total",
      help: "Steps of recurring schedules that this node has made.",
      registers,
    }),
    scheduleRuns: new Counts(registry, {
      name: "postdate_schedule_runs_total",
      help: "Runs that this node has decided by time, by `outcome`.",
      label: "outcome",
      values: runOutcomes,
    }),
    scheduleLag: new LagGauge(registry, clock, {
      name: "postdate_schedule_lag_seconds",
      help: "How long the schedule that has waited longest has waited for its step, as far as this node could see. It grows while the node cannot look. NaN on a node that does not deliver.",
    }),
    schedulesPaused: new Counter({
      name: "postdate_schedules_paused_total",
      help: "Schedules that paused themselves because their runs became dead letters.",
      registers,
    }),
  };
}
