import type { Alert } from "./alert.ts";

const ofNode = 'job="postdate",instance="one:7071"';

/** Who asked to be told is not told. */
export const eventAlerts: readonly Alert[] = [
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
