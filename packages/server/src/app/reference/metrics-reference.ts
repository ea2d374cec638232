import { idleSources } from "../observability/idle-sources.ts";
import { createMetrics } from "../observability/metrics.ts";

/** The page `docs/reference/metrics.md`, made from the metrics. */
export async function metricsReference(): Promise<string> {
  const { registry } = createMetrics(idleSources);
  const all = await registry.getMetricsAsJSON();
  const rows = all
    .filter(({ name }) => name.startsWith("postdate_"))
    .map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`)
    .toSorted();
  return `# Metrics

\`GET /metrics\` answers in the Prometheus text format. It needs no credential. \`--metrics-port\` puts it on a port of its
own. The service makes the text at most once a second, however often you ask. Every counter with labels of a known list is there from the first answer on, at zero. No metric names a message, and
none names an account or a target, except the \`postdate_target_…\` ones, which are there only with
\`--metrics-per-target\`. The client library of Prometheus for Node.js has no native histograms. Besides the metrics below there are the usual ones of a Node.js process (\`process_…\`, \`nodejs_…\`).

| Metric | Type | Meaning |
|---|---|---|
${rows.join("\n")}

The \`outcome\` of an attempt is the one that \`GET /v1/messages/{messageId}/attempts\` shows:
\`DELIVERED\`, \`BAD_STATUS\`, \`TIMEOUT\`, \`CONNECTION_FAILED\`, \`DNS_FAILED\`, \`TLS_FAILED\`,
\`ADDRESS_REFUSED\`, \`MISCONFIGURED\`, \`INTERRUPTED\`.

The \`outcome\` of a run is \`CREATED\`, \`SKIPPED\` or \`MISSED\`, as \`GET /v1/schedules/{scheduleId}/runs\` shows it. Runs
that a caller triggers are not counted.

The \`route\` of a request is a pattern such as \`/v1/messages/:messageId\`. Whatever does not exist is \`unrouted\`, and its
\`method\` is \`any\`. Requests that were turned away because of overload are counted too, with 503.

The \`action\` of a job is \`redrive\`, \`cancel\`, \`reschedule\`, \`shift\` or \`backfill\`.

The \`reason\` for refusing a request or a connection is one of these:

| Reason | Meaning |
|---|---|
| \`requests\` | an account has more of \`--max-requests\` running than it leaves to others |
| \`bodies\` | an account has more bytes of bodies arriving than it leaves to others |
| \`strangers\` | too many requests without a valid credential at once |
| \`connections\` | more than five times \`--max-requests\`, or more than eight ninths of that from one address; or an unused connection made room for another address |
| \`pipelines\` | more than ten unanswered requests on one connection |
| \`event-loop\` | the process cannot keep up; callers without a valid credential are refused when it is half as late |
| \`memory\` | the process's heap is nearly full |

Runs are made five seconds ahead, so messages of schedules are late once \`postdate_schedule_lag_seconds\` is above 5.

\`postdate_pending_messages\`, \`postdate_overdue_messages\` and \`postdate_oldest_overdue_age_seconds\` are for the whole store,
so every node shows the same. They are NaN when the store does not answer. All other metrics are the node's own.

The \`verb\` of a call to the store is its name in the code, such as \`scheduleMessages\`, \`claimDue\` or \`recordAttempts\`.

[Monitoring](../operations/monitoring.md) has alert rules and a dashboard that are made of these.
`;
}
