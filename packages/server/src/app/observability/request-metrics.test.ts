import { Registry } from "@prometheus-io/client";
import { expect, test } from "vitest";
import { RequestMetrics } from "./request-metrics.ts";

test("answers are counted by route and status, and their durations fall into buckets", async () => {
  const registry = new Registry();
  const requests = new RequestMetrics(registry);
  expect(await registry.metrics()).not.toContain("{");
  const route = "/v1/messages/:messageId";
  requests.routed("GET", route, [200]);
  const seen = await registry.metrics();
  for (const status of [200, 500, 503]) {
    const labels = `method="GET",route="${route}",status="${status}"`;
    expect(seen).toContain(`postdate_http_requests_total{${labels}} 0\n`);
  }
  requests.answered("GET", route, 200, 1);
  requests.answered("GET", route, 200, 3);
  requests.answered("GET", route, 404, 70_000);
  requests.answered("POST", "/v1/messages", 200, 0.5);
  const lines = new Set((await registry.metrics()).split("\n"));
  const labels = `method="GET",route="${route}"`;
  for (const line of [
    `postdate_http_requests_total{${labels},status="200"} 2`,
    `postdate_http_requests_total{${labels},status="404"} 1`,
    `postdate_http_request_duration_seconds_bucket{${labels},le="0.001"} 1`,
    `postdate_http_request_duration_seconds_bucket{${labels},le="0.0025"} 1`,
    `postdate_http_request_duration_seconds_bucket{${labels},le="0.005"} 2`,
    `postdate_http_request_duration_seconds_bucket{${labels},le="60"} 2`,
    `postdate_http_request_duration_seconds_bucket{${labels},le="+Inf"} 3`,
    `postdate_http_request_duration_seconds_sum{${labels}} 70.004`,
    `postdate_http_request_duration_seconds_count{${labels}} 3`,
    `postdate_http_requests_total{method="POST",route="/v1/messages",status="200"} 1`,
  ]) {
    expect(lines).toContain(line);
  }
  // A second look counts nothing twice.
  expect(new Set((await registry.metrics()).split("\n"))).toEqual(lines);
});
