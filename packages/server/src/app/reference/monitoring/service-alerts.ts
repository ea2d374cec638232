import type { Alert } from "./alert.ts";

const job = { job: "postdate" };
const node = { ...job, instance: "one:7071" };
const ofNode = 'job="postdate",instance="one:7071"';
const unknown = Array.from({ length: 30 }, () => "NaN").join(" ");

/** The service or its store does not answer, or not in time. */
export const serviceAlerts: readonly Alert[] = [
  {
    name: "PostdateNodeDown",
    expr: 'up{job="postdate"} == 0',
    holdsFor: "1m",
    severity: "critical",
    summary: "{{ $labels.instance }} does not answer Prometheus.",
    example: {
      series: { [`up{${ofNode}}`]: "1x4 0x40" },
      firesAfter: "3m",
      labels: node,
      well: { [`up{${ofNode}}`]: "1 0 0 1x40" },
    },
  },
  {
    name: "PostdateNotReady",
    expr: "postdate_ready == 0",
    holdsFor: "2m",
    severity: "critical",
    summary: "{{ $labels.instance }} is not ready: callers get 503 from it.",
    example: {
      series: { [`postdate_ready{${ofNode}}`]: "1x4 0x40" },
      firesAfter: "4m",
      labels: node,
      well: { [`postdate_ready{${ofNode}}`]: "1 0x4 1x40" },
    },
  },
  {
    name: "PostdateOutOfTouch",
    // On the embedded store both are NaN, which is above nothing.
    expr: "postdate_look_ahead_age_seconds > 30 or postdate_lease_age_seconds > 20",
    holdsFor: "30s",
    severity: "critical",
    summary: "{{ $labels.instance }} has lost touch with the other nodes.",
    example: {
      series: { [`postdate_look_ahead_age_seconds{${ofNode}}`]: "0.3x4 15+15x40" },
      firesAfter: "4m",
      labels: node,
      well: {
        [`postdate_look_ahead_age_seconds{${ofNode}}`]: `0.3x4 ${unknown}`,
        [`postdate_lease_age_seconds{${ofNode}}`]: "2.4x4 12x40",
      },
    },
  },
  {
    name: "PostdateStoreTrouble",
    expr: "sum by (job, instance) (increase(postdate_engine_troubles_total[5m])) > 0",
    holdsFor: "0s",
    severity: "warning",
    summary: "{{ $labels.instance }} could not reach its store and tries again.",
    example: {
      series: { [`postdate_engine_troubles_total{${ofNode}}`]: "0x8 3x40" },
      firesAfter: "4m",
      labels: node,
      well: { [`postdate_engine_troubles_total{${ofNode}}`]: "3x40" },
    },
  },
  {
    name: "PostdateStoreSlow",
    expr: 'histogram_quantile(0.99, sum by (job, instance, le) (rate(postdate_store_call_duration_seconds_bucket{verb=~"scheduleMessages|claimDue|recordAttempts"}[5m]))) > 0.5',
    holdsFor: "5m",
    severity: "warning",
    summary: "The store needs more than half a second for calls of {{ $labels.instance }}.",
    example: {
      series: {
        [`postdate_store_call_duration_seconds_bucket{${ofNode},verb="claimDue",le="0.5"}`]:
          "0+90x100",
        [`postdate_store_call_duration_seconds_bucket{${ofNode},verb="claimDue",le="1"}`]:
          "0+100x100",
        [`postdate_store_call_duration_seconds_bucket{${ofNode},verb="claimDue",le="+Inf"}`]:
          "0+100x100",
      },
      firesAfter: "10m",
      labels: node,
      well: {
        [`postdate_store_call_duration_seconds_bucket{${ofNode},verb="claimDue",le="0.5"}`]:
          "0+100x100",
        [`postdate_store_call_duration_seconds_bucket{${ofNode},verb="claimDue",le="+Inf"}`]:
          "0+100x100",
        [`postdate_store_call_duration_seconds_bucket{${ofNode},verb="findMessages",le="+Inf"}`]:
          "0+100x100",
      },
    },
  },
  {
    name: "PostdateRequestsFailing",
    // Balancers and Prometheus ask for health and metrics however few callers there are.
    expr: 'sum by (job) (rate(postdate_http_requests_total{status=~"5..",route!~"/readyz|/healthz|/metrics"}[5m])) / sum by (job) (rate(postdate_http_requests_total{route!~"/readyz|/healthz|/metrics"}[5m])) > 0.05',
    holdsFor: "5m",
    severity: "critical",
    summary: "More than one request in twenty is answered with an error of the server.",
    example: {
      series: {
        [`postdate_http_requests_total{${ofNode},method="POST",route="/v1/messages",status="200"}`]:
          "0+90x100",
        [`postdate_http_requests_total{${ofNode},method="POST",route="/v1/messages",status="503"}`]:
          "0+10x100",
        [`postdate_http_requests_total{${ofNode},method="GET",route="/readyz",status="200"}`]:
          "0+900x100",
      },
      firesAfter: "10m",
      labels: job,
      well: {
        [`postdate_http_requests_total{${ofNode},method="POST",route="/v1/messages",status="200"}`]:
          "0+90x100",
        [`postdate_http_requests_total{${ofNode},method="POST",route="/v1/messages",status="429"}`]:
          "0+10x100",
        [`postdate_http_requests_total{${ofNode},method="GET",route="/readyz",status="503"}`]:
          "0+10x100",
      },
    },
  },
  {
    name: "PostdateRequestsShed",
    expr: "sum by (job, instance) (increase(postdate_requests_shed_total[5m])) > 0",
    holdsFor: "5m",
    severity: "warning",
    summary: "{{ $labels.instance }} turns requests away because it is overloaded.",
    example: {
      series: { [`postdate_requests_shed_total{${ofNode},reason="requests"}`]: "0+5x100" },
      firesAfter: "10m",
      labels: node,
      well: { [`postdate_requests_shed_total{${ofNode},reason="requests"}`]: "0x8 5x60" },
    },
  },
  {
    name: "PostdateEventLoopLate",
    expr: "nodejs_eventloop_lag_p99_seconds > 0.25",
    holdsFor: "5m",
    severity: "warning",
    summary: "The process at {{ $labels.instance }} cannot keep up with its work.",
    example: {
      series: { [`nodejs_eventloop_lag_p99_seconds{${ofNode}}`]: "0.02x4 0.4x60" },
      firesAfter: "10m",
      labels: node,
      well: { [`nodejs_eventloop_lag_p99_seconds{${ofNode}}`]: "0.02x4 0.4x10 0.02x60" },
    },
  },
];
