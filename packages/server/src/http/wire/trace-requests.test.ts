import { once } from "node:events";
import { request as startRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openTestApi } from "../testing/open-test-api.ts";
import type { TracedRequest } from "./trace-requests.ts";

/** A server that listens, and what its tracer hears. */
async function openTraced() {
  const begun: TracedRequest[] = [];
  const ended: (number | null)[] = [];
  const api = await openTestApi({
    tracer: {
      begin(request) {
        begun.push(request);
        return { sampledParent: null, ended: (status) => void ended.push(status) };
      },
    },
  });
  onTestFinished(() => api.close());
  await api.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = api.app.server.address() as AddressInfo;
  return { api, begun, ended, port };
}

test("calls are traced, by route and without their query; what nobody calls for is not", async () => {
  const { api, begun, ended, port } = await openTraced();
  const authorization = `Bearer ${api.rootKey}`;
  const url = `http://127.0.0.1:${port}`;
  for (const path of ["/healthz", "/readyz", "/metrics", "/docs", "/nope", "/v1/nope?x=hidden"]) {
    await (await fetch(url + path)).text();
  }
  expect(begun).toEqual([]);
  const headers = { authorization, traceparent: "a" };
  await (await fetch(`${url}/v1/messages/mine?token=hidden`, { headers })).text();
  await (await fetch(`${url}/v1/targets`)).text();
  await expect.poll(() => ended).toEqual([expect.any(Number), 401]);
  expect(begun).toEqual([
    {
      method: "GET",
      route: "/v1/messages/:messageId",
      path: "/v1/messages/mine",
      scheme: "http",
      traceParent: "a",
    },
    {
      method: "GET",
      route: "/v1/targets",
      path: "/v1/targets",
      scheme: "http",
      traceParent: undefined,
    },
  ]);
});

test("a call whose caller hangs up before the answer ends without a status", async () => {
  const { api, begun, ended, port } = await openTraced();
  const sent = startRequest({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: "/v1/messages",
    headers: {
      authorization: `Bearer ${api.rootKey}`,
      "content-type": "application/json",
      "content-length": "100",
    },
  });
  const arrived = once(api.app.server, "request");
  sent.on("error", () => {});
  sent.flushHeaders();
  await arrived;
  await expect.poll(() => begun.length).toBe(1);
  sent.destroy();
  await expect.poll(() => ended).toEqual([null]);
});
