import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiOf } from "../support/api.ts";
import { makeDataDir } from "../support/server-process.ts";
import { services, addTarget, scheduleAt } from "../support/service.ts";
import { patiently, sharedService } from "../support/shared-service.ts";

const service = sharedService();
const startService = services();
const open = (path: string) => service.api("GET", path, { key: null });

describe("a running server", () => {
  test("prints one ready line, with the address", async () => {
    const lines = service.server.output().split("\n");
    const ready = lines.filter((line) => line.includes("ready on"));
    expect(ready).toHaveLength(1);
    expect(ready[0]).toMatch(/http:\/\/127\.0\.0\.1:[1-9]\d*/);
  });

  test("/healthz and /readyz need no credential", async () => {
    expect((await open("/healthz")).body).toMatchObject({ status: "ok" });
    const ready = await open("/readyz");
    expect([ready.status, ready.body]).toStrictEqual([200, { ready: true, reasons: [] }]);
  });

  test("/metrics is Prometheus text: lateness as a histogram, attempts by outcome, pending, in flight", async () => {
    const target = await service.target();
    const { messageId } = await target.schedule();
    await service.reaches(messageId, "DELIVERED");
    const { status, headers, text } = await open("/metrics");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    expect(text).toMatch(/^# TYPE \w*lateness\w* histogram$/m);
    expect(text).toMatch(/^\w*lateness\w*_count(\{.*\})? [1-9]/m);
    expect(text).toMatch(/^\w*attempts\w*\{[^}]*outcome="DELIVERED"[^}]*\} [1-9]/im);
    expect(text).toMatch(/^\w*pending\w*(\{.*\})? \d/m);
    expect(text).toMatch(/^\w*in_flight\w*(\{.*\})? \d/m);
    expect(text).toMatch(/^# TYPE \w*(commit|batch)\w* histogram$/m);
  });

  test("/metrics counts answers by route and what callers do to messages, and made-up paths are one route", async () => {
    const target = await service.target();
    const { messageId } = await target.schedule({ deliveryTime: "2099-01-01T00:00:00Z" });
    const path = `/v1/messages/${messageId}`;
    await service.api("POST", `${path}/reschedule`, {
      body: { deliveryTime: "2098-01-01T00:00:00Z" },
    });
    await service.api("POST", `${path}/cancel`);
    await open("/made-up/by-a-stranger");
    const lines = [
      /^postdate_http_requests_total\{method="POST",route="\/v1\/messages\/:messageId\/cancel",status="200"\} [1-9]/m,
      /^postdate_http_request_duration_seconds_count\{method="POST",route="\/v1\/messages"\} [1-9]/m,
      /^postdate_http_requests_total\{method="any",route="unrouted",status="40[14]"\} [1-9]/m,
      ...["scheduled", "rescheduled", "cancelled"].map(
        (change) =>
          new RegExp(`^postdate_message_changes_total\\{change="${change}"\\} [1-9]`, "m"),
      ),
      /^postdate_requests_shed_total\{reason="memory"\} \d/m,
      /^postdate_build_info\{version="[\d.]+",node_version="v\d+[^"]*"\} 1$/m,
    ];
    for (const line of lines) {
      await expect
        .poll(async () => (await open("/metrics")).text, { timeout: 5_000 })
        .toMatch(line);
    }
    expect((await open("/metrics")).text).not.toContain("by-a-stranger");
  });

  test("/openapi.json is OpenAPI 3.1 and has every operation", async () => {
    const { status, body } = await open("/openapi.json");
    expect([status, body.openapi]).toEqual([200, expect.stringMatching(/^3\.1\./)]);
    const operations = Object.entries(body.paths as Record<string, object>).flatMap(
      ([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations).toEqual(
      expect.arrayContaining([
        "POST /v1/messages",
        "GET /v1/messages",
        "POST /v1/messages/batch",
        "GET /v1/messages/{messageId}",
        "GET /v1/messages/{messageId}/payload",
        "GET /v1/messages/{messageId}/attempts",
        "POST /v1/messages/{messageId}/cancel",
        "POST /v1/messages/{messageId}/reschedule",
        "GET /v1/targets/{targetId}/scheduled-messages",
        "GET /v1/targets/{targetId}/dead-letters",
        "POST /v1/targets",
        "GET /v1/targets",
        "GET /v1/targets/{targetId}",
        "PATCH /v1/targets/{targetId}",
        "DELETE /v1/targets/{targetId}",
        "POST /v1/targets/{targetId}/pause",
        "POST /v1/targets/{targetId}/resume",
        "POST /v1/targets/{targetId}/test",
        "POST /v1/targets/{targetId}/rotate-secret",
      ]),
    );
    const message = body.components.schemas.Message;
    expect(Object.keys(message.properties).slice(0, 11)).toEqual(message.required);
    expect(message.required).toHaveLength(11);
  });

  test("/docs shows the API without reaching any other host", async () => {
    const page = await open("/docs");
    const { status, headers, text } = page.status === 200 ? page : await open("/docs/");
    expect([status, headers.get("content-type")]).toEqual([
      200,
      expect.stringMatching(/^text\/html/),
    ]);
    const loaded = [
      ...text.matchAll(/<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)="([^"]+)"/g),
    ];
    expect(loaded.length).toBeGreaterThan(0);
    for (const [, address] of loaded) {
      const url = new URL(address!, `${service.server.url}/docs/`);
      expect(url.origin).toBe(new URL(service.server.url).origin);
      expect((await open(url.pathname)).status).toBe(200);
    }
  });

  test("writes neither payloads nor secrets to its log", async () => {
    const target = await service.target({ headers: { "x-token": "hidden-header" } });
    const { messageId } = await target.schedule({ payload: "hidden-payload" });
    await service.reaches(messageId, "DELIVERED");
    await service.api("POST", "/v1/messages", { body: '{"payload":"hidden-payload"' });
    await expect.poll(() => service.server.output(), patiently).toContain(messageId);
    const output = service.server.output();
    for (const hidden of ["hidden-payload", "hidden-header", target.secret.slice(6)]) {
      expect(output).not.toContain(hidden);
    }
  });
});

describe("stopping", () => {
  test("SIGTERM makes it unready, and a second one forces the exit", async () => {
    const own = await startService({ args: ["--drain-timeout", "60s"] });
    await addTarget(own);
    own.receiver.answerWith(() => {});
    await scheduleAt(own, "2020-01-01T00:00:00Z");
    await own.receiver.received(1);
    const stopped = own.server.stop();
    await expect
      .poll(async () => (await own.api("GET", "/readyz", { key: null })).status, patiently)
      .toBe(503);
    const asked = Date.now();
    own.server.process.kill("SIGTERM");
    expect(await stopped).not.toBe(0);
    expect(Date.now() - asked).toBeLessThan(45_000);
  });
});

describe("starting", () => {
  test("without POSTDATE_ROOT_KEY a generated root key is printed, once; SIGTERM ends an idle server with 0", async () => {
    const first = await startService({ env: { POSTDATE_ROOT_KEY: undefined } });
    const found = first.server.output().match(/\bpd_[\w-]{20,}/g) ?? [];
    expect(found).toHaveLength(1);
    const withKey = apiOf(first.server.url, found[0]);
    expect(
      (await withKey("POST", "/v1/targets", { body: { url: "https://example.com" } })).status,
    ).toBe(200);
    expect(await first.server.stop()).toBe(0);
    const second = await first.restart({ env: { POSTDATE_ROOT_KEY: undefined } });
    expect(second.server.output()).not.toMatch(/\bpd_[\w-]{20,}/);
    expect((await apiOf(second.server.url, found[0])("GET", "/v1/targets")).body.count).toBe(1);
  });

  test("off a terminal every line is JSON and says which node, process and version wrote it", async () => {
    const own = await startService({ env: { POSTDATE_ROOT_KEY: undefined } });
    const { pid } = own.server.process;
    expect(await own.server.stop()).toBe(0);
    await expect.poll(own.server.output, patiently).toContain('"stopped"');
    const lines = own.server.output().trimEnd().split("\n");
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        level: expect.any(String),
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        node: "embedded",
        pid,
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        msg: expect.any(String),
      });
    }
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    for (const said of ["Root API key", "audit", "ready on", "SIGTERM: stopping", "stopped"]) {
      expect(messages.filter((message) => message.includes(said))).toHaveLength(1);
    }
  });

  test("a log for people leaves out the audit entries of a first start", async () => {
    const own = await startService({
      args: ["--log-format", "pretty"],
      env: { POSTDATE_ROOT_KEY: undefined },
    });
    await expect.poll(own.server.output, patiently).toContain("Root API key");
    expect(own.server.output()).not.toContain("audit");
    const key = /\bpd_[\w-]{20,}/.exec(own.server.output())![0];
    const body = { name: "k", scopes: ["scheduler.all.read"] };
    await apiOf(own.server.url, key)("POST", "/v1/keys", { body });
    await expect.poll(own.server.output, patiently).toMatch(/audit .*key\.created/);
  });

  test("--write-root-key: the generated key is only in the file", async () => {
    await using place = await makeDataDir();
    const path = join(place.path, "root-key");
    const own = await startService({
      args: ["--write-root-key", path],
      env: { POSTDATE_ROOT_KEY: undefined },
    });
    const key = (await readFile(path, "utf8")).trim();
    expect((await apiOf(own.server.url, key)("GET", "/v1/targets")).status).toBe(200);
    expect(own.server.output()).toContain(path);
    expect(own.server.output()).not.toContain(key);
  });

  test("all invalid settings are reported at once, with exit code 2", async () => {
    const failed = startService({
      args: ["--retention", "soon", "--cancel-wait", "-1s", "--allow-cidr", "nonsense"],
      env: { POSTDATE_LOG_LEVEL: "loud", POSTDATE_ROOT_KEY: "no-prefix" },
    });
    const { message } = await failed.then(
      () => expect.fail("it started"),
      (error: Error) => error,
    );
    expect(message).toMatch(/ended with 2 /);
    for (const setting of [
      "retention",
      "cancel-wait",
      "allow-cidr",
      "POSTDATE_LOG_LEVEL",
      "POSTDATE_ROOT_KEY",
    ]) {
      expect(message).toContain(setting);
    }
  });
});
