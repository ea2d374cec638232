import { hasCounted } from "./alert.ts";
import type { Alert } from "./alert.ts";

const job = { job: "postdate" };
const node = { ...job, instance: "one:7071" };
const unknown = Array.from({ length: 40 }, () => "NaN").join(" ");
const ofNode = 'job="postdate",instance="one:7071"';

/** Recurring schedules and jobs do not go on. */
export const jobAlerts: readonly Alert[] = [
  {
    name: "PostdateSchedulesBehind",
    // Runs are made five seconds ahead. Any node that keeps up is enough.
    expr: "min by (job) (postdate_schedule_lag_seconds) > 5",
    holdsFor: "1m",
    severity: "warning",
    summary: "Messages of recurring schedules are made too late.",
    example: {
      series: {
        [`postdate_schedule_lag_seconds{${ofNode}}`]: "0x4 8x40",
        // A node that does not deliver.
        'postdate_schedule_lag_seconds{job="postdate",instance="two:7071"}': unknown,
      },
      firesAfter: "3m",
      labels: job,
      well: {
        [`postdate_schedule_lag_seconds{${ofNode}}`]: "8x40",
        'postdate_schedule_lag_seconds{job="postdate",instance="two:7071"}': "0x40",
      },
    },
  },
  {
    name: "PostdateRunsMissed",
    expr: hasCounted('postdate_schedule_runs_total{outcome="MISSED"}', "15m"),
    holdsFor: "0s",
    severity: "warning",
    summary: "Recurring schedules have missed runs.",
    example: {
      // The node was away for 20 minutes, and decides before Prometheus asks it again.
      series: { [`postdate_schedule_runs_total{${ofNode},outcome="MISSED"}`]: "0x4 _x80 16x60" },
      firesAfter: "22m",
      labels: job,
      well: { [`postdate_schedule_runs_total{${ofNode},outcome="CREATED"}`]: "0+4x80" },
    },
  },
  {
    name: "PostdateSchedulesPaused",
    expr: hasCounted("postdate_schedules_paused_total", "15m"),
    holdsFor: "0s",
    severity: "warning",
    summary: "Recurring schedules have paused themselves after dead letters.",
    example: {
      series: { [`postdate_schedules_paused_total{${ofNode}}`]: "0x20 1x20" },
      firesAfter: "8m",
      labels: job,
      well: { [`postdate_schedules_paused_total{${ofNode}}`]: "0x80" },
    },
  },
  {
    name: "PostdateJobsPaused",
    expr: hasCounted("postdate_jobs_paused_total", "15m"),
    holdsFor: "0s",
    severity: "warning",
    summary: "Jobs have paused themselves, because what they sent again failed again.",
    example: {
      series: { [`postdate_jobs_paused_total{${ofNode}}`]: "0x20 1x20" },
      firesAfter: "8m",
      labels: job,
      well: { [`postdate_jobs_paused_total{${ofNode}}`]: "0x80" },
    },
  },
  {
    name: "PostdateJobsStuck",
    expr: "postdate_job_step_age_seconds > 120",
    holdsFor: "1m",
    severity: "warning",
    summary: "A job at {{ $labels.instance }} does not go on.",
    example: {
      series: { [`postdate_job_step_age_seconds{${ofNode}}`]: "0x4 15+15x40" },
      firesAfter: "7m",
      labels: node,
      well: { [`postdate_job_step_age_seconds{${ofNode}}`]: "0x4 90x40" },
    },
  },
];
