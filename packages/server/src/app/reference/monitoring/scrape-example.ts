/** `deploy/prometheus/prometheus.yaml` */
export function scrapeExample(): string {
  return `# Made from the code by \`npm run docs:reference\`.
# An example: scrapes the nodes of deploy/compose.yaml from inside its network. Name your own nodes, with the port of
# --metrics-port. Name each node itself, not a load balancer.
global:
  scrape_interval: 15s
  evaluation_interval: 15s

rule_files:
  - alerts.yaml

scrape_configs:
  # The alerts and the dashboard expect this name.
  - job_name: postdate
    static_configs:
      - targets:
          - node-1:7071
          - node-2:7071
          - node-3:7071
`;
}
