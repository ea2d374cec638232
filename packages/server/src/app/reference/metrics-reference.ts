import { createMetrics } from "../observability/metrics.ts";

/** The page `docs/reference/metrics.md`, made from the metrics themselves. */
export async function metricsReference(): Promise<string> {
  const { registry } = createMetrics(async () => ({ pending: 0, ageMs: 0 }));
  const all = await registry.getMetricsAsJSON();
  const rows = all
    .filter(({ name }) => name.startsWith("postdate_"))
    .map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`)
    .toSorted();
  return `# Metrics

\`GET /metrics\` answers in the Prometheus text format, without a credential; with \`--metrics-port\` on a port of its
own. The text is made once a second at most, however often it is asked for. No metric names an account, a target or
a message. Beside these there are the usual ones of a Node.js process (\`process_…\`, \`nodejs_…\`).

| Metric | Type | Meaning |
|---|---|---|
${rows.join("\n")}

The \`outcome\` of an attempt is one of those that \`GET /v1/messages/{messageId}/attempts\` shows:
\`DELIVERED\`, \`BAD_STATUS\`, \`TIMEOUT\`, \`CONNECTION_FAILED\`, \`DNS_FAILED\`, \`TLS_FAILED\`,
\`ADDRESS_REFUSED\`, \`MISCONFIGURED\`, \`INTERRUPTED\`.

The \`reason\` for turning requests away is one of \`requests\` (an account has more of
\`--max-requests\` under way than it leaves to others), \`bodies\` (the same of bytes of bodies), \`strangers\` (too many
requests without a good credential at once), \`connections\` (more than five times \`--max-requests\`, or than eight
ninths of that from one address), \`pipelines\` (more than ten requests unanswered on one connection), \`event-loop\` (the
process cannot keep up; strangers are turned away when it is half as late) and \`memory\` (its heap is nearly full).

Worth an alert: a high quantile of \`postdate_delivery_lateness_seconds\` above what you can bear, a growing
\`postdate_dead_letters_total\`, any increase of \`postdate_engine_troubles_total\` or
\`postdate_requests_shed_total\`, and \`postdate_in_flight\` close to \`--max-in-flight\`.
`;
}
