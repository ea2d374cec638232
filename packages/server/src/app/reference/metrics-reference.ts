import { createMetrics } from "../observability/metrics.ts";

/** The page `docs/reference/metrics.md`, made from the metrics. */
export async function metricsReference(): Promise<string> {
  const { registry } = createMetrics(async () => ({ pending: 0, ageMs: 0 }));
  const all = await registry.getMetricsAsJSON();
  const rows = all
    .filter(({ name }) => name.startsWith("postdate_"))
    .map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`)
    .toSorted();
  return `# Metrics

\`GET /metrics\` answers in the Prometheus text format. It needs no credential. \`--metrics-port\` puts it on a port of its
own. The service makes the text at most once a second, however often you ask. No metric names an account, a target or a
message. Besides the metrics below there are the usual ones of a Node.js process (\`process_…\`, \`nodejs_…\`).

| Metric | Type | Meaning |
|---|---|---|
${rows.join("\n")}

The \`outcome\` of an attempt is the one that \`GET /v1/messages/{messageId}/attempts\` shows:
\`DELIVERED\`, \`BAD_STATUS\`, \`TIMEOUT\`, \`CONNECTION_FAILED\`, \`DNS_FAILED\`, \`TLS_FAILED\`,
\`ADDRESS_REFUSED\`, \`MISCONFIGURED\`, \`INTERRUPTED\`.

The \`outcome\` of a run is \`CREATED\`, \`SKIPPED\` or \`MISSED\`, as \`GET /v1/schedules/{scheduleId}/runs\` shows it. Runs
that a caller triggers are not counted.

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

Alert on these: a high quantile of \`postdate_delivery_lateness_seconds\` above what you can accept, a growing
\`postdate_dead_letters_total\`, \`postdate_schedule_lag_seconds\` above 5, any increase of \`postdate_engine_troubles_total\` or
\`postdate_requests_shed_total\`, and \`postdate_in_flight\` close to \`--max-in-flight\`.
`;
}
