import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../../src/storage/postgres/testing/test-databases.ts";
import type { Api } from "../support/api.ts";
import { startClusterOfOne } from "../support/cluster-of-one.ts";
import { startCluster } from "../support/cluster.ts";
import type { Cluster } from "../support/cluster.ts";
import { rootKey } from "../support/server-process.ts";
import type { Receipt } from "../support/receiver.ts";
import { failedStatus, spanKinds, startCollector } from "./support/collector.ts";
import type { Collector, Span } from "./support/collector.ts";

const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const sampled = `00-${caller.traceId}-${caller.spanId}-01`;
const later = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const sampledLater = `00-${later.traceId}-${later.spanId}-01`;

const past = "2020-01-01T00:00:00Z";
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

const makeDatabase = testDatabases();
const stores = {
  "the embedded store": (env: Record<string, string>) => startClusterOfOne([], env),
  PostgreSQL: async (env: Record<string, string>) =>
    startCluster((await makeDatabase()).url, 1, { env }),
};

type Env = Record<string, string>;
const off: Env = { OTEL_EXPORTER_OTLP_ENDPOINT: "" };
const to = ({ url }: Collector): Env => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url });

async function schedule(
  api: Api,
  traceparent: string | null,
  change: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { status, text, body } = await api("POST", "/v1/messages", {
    headers: traceparent === null ? {} : { traceparent },
    body: { targetId: "t", deliveryTime: past, payload: "grüße", ...change },
  });
  expect(status, text).toBe(200);
  // Its place in a trace is nothing that a caller has set.
  expect(body).not.toHaveProperty("traceParent");
  expect(text).not.toContain(caller.traceId);
  return body.messageId as string;
}

const isAttempt =
  (messageId: string) =>
  ({ attributes }: Span): boolean =>
    attributes["messaging.message.id"] === messageId;

/** A call that schedules one message. */
const isCall = ({ name, kind }: Span): boolean =>
  name === "POST /v1/messages" && kind === spanKinds.server;

async function receiptOf({ receiver }: Cluster, messageId: string): Promise<Receipt> {
  const [receipt] = await receiver.received(1, (one) => one.messageId === messageId);
  return receipt!;
}

const traceParentOf = ({ traceId, spanId }: Span): string => `00-${traceId}-${spanId}-01`;

describe.each(Object.entries(stores))("traces on %s", (_name, start) => {
  let collector: Collector;
  let cluster: Cluster;
  let api: Api;
  beforeAll(async () => {
    collector = await startCollector();
    cluster = await start(to(collector));
    ({ api } = cluster.nodes[0]!);
  });
  afterEach(() => cluster.receiver.answerWith((_, response) => response.writeHead(204).end()));
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  });

  test("an attempt is a trace of its own that links to the call; the receiver gets its place in it", async () => {
    let answers = 0;
    cluster.receiver.answerWith((_, response) =>
      response.writeHead(++answers === 1 ? 500 : 204).end(),
    );
    const messageId = await schedule(api, sampled);
    const attempts = await collector.received(2, isAttempt(messageId));
    const receipts = await cluster.receiver.received(2, (one) => one.messageId === messageId);
    const common = {
      name: "deliver t",
      kind: spanKinds.client,
      links: [caller],
      attributes: {
        "messaging.system": "postdate",
        "messaging.operation.name": "deliver",
        "messaging.operation.type": "send",
        "messaging.destination.name": "t",
        "messaging.message.body.size": 7,
        "postdate.account.id": "acc_default",
        "postdate.lateness_ms": expect.any(Number),
      },
      resource: { "service.name": "postdate", "service.version": expect.any(String) },
    };
    expect(attempts).toMatchObject([
      {
        ...common,
        attributes: {
          ...common.attributes,
          "postdate.attempt.number": 1,
          "postdate.attempt.outcome": "BAD_STATUS",
          "http.response.status_code": 500,
          "error.type": "BAD_STATUS",
        },
        status: { code: failedStatus },
      },
      {
        ...common,
        attributes: {
          ...common.attributes,
          "postdate.attempt.number": 2,
          "postdate.attempt.outcome": "DELIVERED",
          "http.response.status_code": 204,
        },
      },
    ]);
    expect(attempts[1]!.status.code ?? 0).not.toBe(failedStatus);
    for (const each of attempts) expect(each.parentSpanId ?? "").toBe("");
    expect(new Set([caller.traceId, ...attempts.map(({ traceId }) => traceId)]).size).toBe(3);
    expect(receipts.map(({ headers }) => headers["traceparent"])).toEqual(
      attempts.map(traceParentOf),
    );

    const [call] = await collector.received(1, isCall);
    expect(call).toMatchObject({
      traceId: caller.traceId,
      parentSpanId: caller.spanId,
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/messages",
        "http.response.status_code": 200,
        "url.path": "/v1/messages",
        "url.scheme": "http",
      },
    });
    for (const path of [`/v1/messages/${messageId}`, "/v1/messages"]) {
      const { status, text } = await api("GET", path);
      expect(status).toBe(200);
      expect(text).toContain(messageId);
      expect(text).not.toMatch(/trace/i);
      expect(text).not.toContain(caller.traceId);
    }
    const sent = JSON.stringify(collector.spans);
    for (const secret of ["grüße", rootKey, cluster.receiver.url]) {
      expect(sent).not.toContain(secret);
    }
  });

  test("with the relation `parent`, attempts are in the trace of the call", async () => {
    await using collector = await startCollector();
    await using cluster = await start({ ...to(collector), POSTDATE_TRACE_RELATION: "parent" });
    const messageId = await schedule(cluster.nodes[0]!.api, sampled);
    const [attempt] = await collector.received(1, isAttempt(messageId));
    expect(attempt).toMatchObject({
      traceId: caller.traceId,
      parentSpanId: caller.spanId,
      kind: spanKinds.client,
      links: [],
    });
    const { headers } = await receiptOf(cluster, messageId);
    expect(headers["traceparent"]).toBe(traceParentOf(attempt!));
    const unknown = await schedule(cluster.nodes[0]!.api, null);
    const [own] = await collector.received(1, isAttempt(unknown));
    expect(own).toMatchObject({ kind: spanKinds.producer, links: [] });
    expect(own!.traceId).not.toBe(caller.traceId);
  });

  test("nothing is kept of a call that is not sampled or whose traceparent is wrong", async () => {
    const useless = [
      null,
      `00-${caller.traceId}-${caller.spanId}-00`,
      `00-${caller.traceId}-${caller.spanId}-02`,
      `00-${"0".repeat(32)}-${caller.spanId}-01`,
      `00-${caller.traceId}-${"0".repeat(16)}-01`,
      `ff-${caller.traceId}-${caller.spanId}-01`,
      `00-${caller.traceId.toUpperCase()}-${caller.spanId}-01`,
      `${sampled}, ${sampledLater}`,
      "nonsense",
    ];
    const before = collector.spans.filter(isCall).length;
    const messageIds = [];
    for (const traceparent of useless) messageIds.push(await schedule(api, traceparent));
    for (const messageId of messageIds) {
      const [attempt] = await collector.received(1, isAttempt(messageId));
      expect(attempt).toMatchObject({ kind: spanKinds.producer, links: [] });
      expect(attempt!.traceId).not.toBe(caller.traceId);
      const { headers } = await receiptOf(cluster, messageId);
      expect(headers["traceparent"]).toBe(traceParentOf(attempt!));
    }
    // The spans of the calls follow the decision of the caller: two of these were not sampled.
    const calls = await collector.received(before + useless.length - 2, isCall);
    expect(calls).toHaveLength(before + useless.length - 2);
  });

  test("without an endpoint nothing is kept and nothing is sent; what was kept outlives a restart", async () => {
    await using collector = await startCollector();
    await using cluster = await start(off);
    const first = cluster.nodes[0]!;
    const untraced = await schedule(first.api, sampled, { deliveryTime: inAnHour() });
    const delivered = await schedule(first.api, sampled);
    expect((await receiptOf(cluster, delivered)).headers).not.toHaveProperty("traceparent");
    await first.server.stop();

    const second = await cluster.addNode([], to(collector));
    const traced = await schedule(second.api, sampled, { deliveryTime: inAnHour() });
    const kept = await schedule(second.api, sampled, { deliveryTime: inAnHour() });
    const reschedule = async (api: Api, messageId: string): Promise<void> => {
      const path = `/v1/messages/${messageId}/reschedule`;
      expect((await api("POST", path, { body: { deliveryTime: past } })).status).toBe(200);
    };
    await reschedule(second.api, untraced);
    await reschedule(second.api, traced);
    const [without] = await collector.received(1, isAttempt(untraced));
    expect(without).toMatchObject({ kind: spanKinds.producer, links: [] });
    const [with_] = await collector.received(1, isAttempt(traced));
    expect(with_).toMatchObject({ links: [caller] });
    await second.server.stop();

    const third = await cluster.addNode([], off);
    await reschedule(third.api, kept);
    expect((await receiptOf(cluster, kept)).headers).not.toHaveProperty("traceparent");
    expect(collector.spans.some(isAttempt(kept))).toBe(false);
  });

  test("a batch, a repeat and a replacement: each message keeps the call that gave its content", async () => {
    const message = { targetId: "t", deliveryTime: past, payload: "x" };
    const batch = await api("POST", "/v1/messages/batch", {
      headers: { traceparent: sampled },
      body: { messages: [message, { ...message, labels: { a: "b" } }] },
    });
    const inBatch = batch.body.results.map(
      (result: { message: { messageId: string } }) => result.message.messageId,
    ) as string[];
    for (const messageId of inBatch) {
      expect(await collector.received(1, isAttempt(messageId))).toMatchObject([
        { links: [caller] },
      ]);
    }

    const once = async (traceparent: string) =>
      api("POST", "/v1/messages", {
        headers: { traceparent, "idempotency-key": "once" },
        body: { ...message, deliveryTime: "2099-01-01T00:00:00Z" },
      });
    const first = await once(sampled);
    const again = await once(sampledLater);
    expect(again.status).toBe(200);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotency-replayed")).toBe("true");

    const keyed = { deliveryTime: inAnHour(), key: "k" };
    const held = await schedule(api, sampled, keyed);
    const replaced = await schedule(api, sampledLater, {
      ...keyed,
      onConflict: "replace",
      deliveryTime: past,
    });
    expect(replaced).not.toBe("");
    const [attempt] = await collector.received(1, isAttempt(replaced));
    expect(attempt).toMatchObject({ links: [later] });
    expect(replaced === held || !collector.spans.some(isAttempt(held))).toBe(true);
  });

  test("a dead letter that is sent again links to the call that scheduled it", async () => {
    cluster.receiver.answerWith((_, response) => response.writeHead(410).end());
    const messageId = await schedule(api, sampled, { retryPolicy: { maxAttempts: 1 } });
    await collector.received(1, isAttempt(messageId));
    await expect
      .poll(async () => (await api("GET", `/v1/messages/${messageId}`)).body.state)
      .toBe("DEAD_LETTER");
    cluster.receiver.answerWith((_, response) => response.writeHead(204).end());
    const redrive = await api("POST", "/v1/targets/t/dead-letters/redrive", { body: {} });
    expect(redrive.status, redrive.text).toBe(201);
    const attempts = await collector.received(2, isAttempt(messageId));
    expect(attempts.map(({ links }) => links)).toEqual([[caller], [caller]]);
  });

  test("a `traceparent` that the target or the message has set stands", async () => {
    const { status } = await api("PATCH", "/v1/targets/t", {
      body: { headers: { Traceparent: sampledLater } },
    });
    expect(status).toBe(200);
    const byTarget = await schedule(api, sampled);
    expect((await receiptOf(cluster, byTarget)).headers["traceparent"]).toBe(sampledLater);
    await api("PATCH", "/v1/targets/t", { body: { headers: {} } });
    const byMessage = await schedule(api, sampled, { headers: { TraceParent: "mine" } });
    expect((await receiptOf(cluster, byMessage)).headers["traceparent"]).toBe("mine");
  });
});
