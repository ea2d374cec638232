import { hasCounted } from "./alert.ts";
import type { Alert } from "./alert.ts";

const job = { job: "postdate" };
const node = { ...job, instance: "one:7071" };
const ofNode = 'job="postdate",instance="one:7071"';
const unknown = Array.from({ length: 30 }, () => "NaN").join(" ");

/** Messages are late, fail or are not delivered at all. */
export const deliveryAlerts: readonly Alert[] = [
  {
    name: "PostdateMessagesOverdue",
    // The count is for the whole store, so each node shows the same.
    expr: "max by (job) (postdate_oldest_overdue_age_seconds) > 60",
    holdsFor: "1m",
    severity: "critical",
    summary: "Messages have been due for more than a minute and are not delivered.",
    example: {
      series: { [`postdate_oldest_overdue_age_seconds{${ofNode}}`]: "0x3 30+15x40" },
      firesAfter: "5m",
      labels: job,
      well: { [`postdate_oldest_overdue_age_seconds{${ofNode}}`]: `0 40 0x40 ${unknown}` },
    },
  },
  {
    name: "PostdateDeliveriesLate",
    expr: "histogram_quantile(0.99, sum by (job, le) (rate(postdate_delivery_lateness_seconds_bucket[5m]))) > 1",
    holdsFor: "5m",
    severity: "warning",
    summary: "One delivery in a hundred begins more than a second late.",
    example: {
      series: {
        [`postdate_delivery_lateness_seconds_bucket{${ofNode},le="1"}`]: "0+90x100",
        [`postdate_delivery_lateness_seconds_bucket{${ofNode},le="5"}`]: "0+100x100",
        [`postdate_delivery_lateness_seconds_bucket{${ofNode},le="+Inf"}`]: "0+100x100",
      },
      firesAfter: "10m",
      labels: job,
      well: {
        [`postdate_delivery_lateness_seconds_bucket{${ofNode},le="1"}`]: "0+100x100",
        [`postdate_delivery_lateness_seconds_bucket{${ofNode},le="+Inf"}`]: "0+100x100",
      },
    },
  },
  {
    name: "PostdateAttemptsFailing",
    expr: 'sum by (job) (rate(postdate_attempts_total{outcome!="DELIVERED"}[10m])) / sum by (job) (rate(postdate_attempts_total[10m])) > 0.1',
    holdsFor: "5m",
    severity: "warning",
    summary: "More than a tenth of the attempts fail.",
    example: {
      series: {
        [`postdate_attempts_total{${ofNode},outcome="DELIVERED"}`]: "0+80x120",
        [`postdate_attempts_total{${ofNode},outcome="TIMEOUT"}`]: "0+20x120",
      },
      firesAfter: "10m",
      labels: job,
      well: {
        [`postdate_attempts_total{${ofNode},outcome="DELIVERED"}`]: "0+95x120",
        [`postdate_attempts_total{${ofNode},outcome="TIMEOUT"}`]: "0+5x120",
      },
    },
  },
  {
    name: "PostdateDeadLetters",
    expr: hasCounted("postdate_dead_letters_total", "15m"),
    holdsFor: "0s",
    severity: "warning",
    summary: "Messages have become dead letters.",
    example: {
      series: { [`postdate_dead_letters_total{${ofNode}}`]: "0x20 1x20" },
      firesAfter: "8m",
      labels: job,
      well: { [`postdate_dead_letters_total{${ofNode}}`]: "0x100" },
    },
  },
  {
    name: "PostdateSlotsTaken",
    // One account alone gets eight ninths of the slots, and ten busy targets of it less than that.
    expr: "postdate_in_flight > 0.75 * postdate_slots",
    holdsFor: "5m",
    severity: "warning",
    summary: "{{ $labels.instance }} has nearly as many attempts in flight as it may have.",
    example: {
      series: {
        [`postdate_in_flight{${ofNode}}`]: "10 800x100",
        [`postdate_slots{${ofNode}}`]: "1000x100",
      },
      firesAfter: "6m",
      labels: node,
      well: {
        [`postdate_in_flight{${ofNode}}`]: "10 950x10 10x90",
        [`postdate_slots{${ofNode}}`]: "1000x100",
      },
    },
  },
];
