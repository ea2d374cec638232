import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "../../platform/logger.ts";
import { openTestApi } from "../testing/open-test-api.ts";
import type { TestApi } from "../testing/open-test-api.ts";

interface Logged {
  readonly api: TestApi;
  readonly lines: () => Record<string, unknown>[];
  readonly text: () => string;
}

async function openLogged(level: string): Promise<Logged> {
  const stream = new PassThrough();
  let text = "";
  stream.on("data", (chunk) => (text += String(chunk)));
  const identity = { node: "embedded", pid: 7, version: "1.2.3" };
  const logger = createLogger({ level, format: "json", stream, identity });
  const api = await openTestApi({ logger });
  onTestFinished(() => api.close());
  const lines = (): Record<string, unknown>[] =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  return { api, lines, text: () => text };
}

test("at the debug level each request has a line, without anything secret", async () => {
  const { api, lines, text } = await openLogged("debug");
  const scheduled = { targetId: "hidden-target", deliveryTime: "soon", payload: "hidden-payload" };
  await api.call({
    method: "POST",
    url: "/v1/messages?token=hidden-query",
    headers: { "x-request-id": "mine", "x-note": "hidden-header" },
    body: scheduled,
  });
  await api.call({ method: "GET", url: "/v1/messages/hidden-id" });
  await api.call({ method: "GET", url: "/v1/targets", key: "pd_hidden" });
  await api.call({ method: "GET", url: "/hidden-path", key: null });
  const durationMs = expect.any(Number);
  expect(lines()).toMatchObject([
    {
      level: "debug",
      msg: "request",
      method: "POST",
      route: "/v1/messages",
      status: 400,
      durationMs,
      accountId: "acc_default",
      requestId: "mine",
    },
    {
      method: "GET",
      route: "/v1/messages/:messageId",
      status: 404,
      durationMs,
      accountId: "acc_default",
      requestId: expect.stringMatching(/^req_/),
    },
    { method: "GET", route: "/v1/targets", status: 401, accountId: null },
    { method: "GET", route: "unrouted", status: 404, accountId: null },
  ]);
  expect(text()).not.toContain("hidden");
  expect(text()).not.toContain(api.rootKey);
});

test("at other levels requests have no line", async () => {
  const { api, text } = await openLogged("info");
  await api.call({ method: "GET", url: "/v1/targets" });
  expect(text()).toBe("");
});
