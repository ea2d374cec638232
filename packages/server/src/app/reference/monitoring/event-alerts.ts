import type { Alert } from "./alert.ts";

const ofNode = 'job="postdate",instance="one:7071"';

/** Who asked to be told is not told. */
export const eventAlerts: readonly Alert[] = [
  {
    name: "PostdateEventsBehind",
    // One node moves for all of them, and each sees what waits. One that cannot look says nothing about the others.
    expr: "min by (job) (postdate_event_move_lag_seconds) > 5",
    holdsFor: "1m",
    severity: "warning",
    summary: "Events are told too late.",
    example: {
      series: {
        [`postdate_event_move_lag_seconds{${ofNode}}`]: "0x4 8x40",
        // A node that does not deliver.
        'postdate_event_move_lag_seconds{job="postdate",instance="two:7071"}': Array.from(
          { length: 40 },
          () => "NaN",
        ).join(" "),
      },
      firesAfter: "3m",
      labels: { job: "postdate" },
      well: {
        [`postdate_event_move_lag_seconds{${ofNode}}`]: "8x40",
        'postdate_event_move_lag_seconds{job="postdate",instance="two:7071"}': "0x40",
      },
    },
  },
  {
    name: "PostdateEventsNotTaken",
    expr: "sum by (job) (postdate_event_webhooks_failing) > 0",
    // A receiver that is deployed anew fails for a moment, and loses nothing.
    holdsFor: "10m",
    severity: "warning",
    summary: "Webhooks of events do not take what they are sent.",
    example: {
      series: { [`postdate_event_webhooks_failing{${ofNode}}`]: "0x4 1x60" },
      firesAfter: "12m",
      labels: { job: "postdate" },
      well: { [`postdate_event_webhooks_failing{${ofNode}}`]: "0 1x20 0x40" },
    },
  },
];
