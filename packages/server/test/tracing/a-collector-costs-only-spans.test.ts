import { expect, test } from "vitest";
import { addTarget, scheduleAt, services } from "../support/service.ts";
import type { ServiceUnderTest } from "../support/service.ts";
import { startCollector } from "./support/collector.ts";

const past = "2020-01-01T00:00:00Z";
const startService = services();

async function deliverOne(service: ServiceUnderTest): Promise<string> {
  const messageId = await scheduleAt(service, past);
  await service.receiver.received(1, (receipt) => receipt.messageId === messageId);
  return messageId;
}

const linesOf = ({ server }: ServiceUnderTest, msg: string): Record<string, unknown>[] =>
  server
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line["msg"] === msg);

test("a server that stops sends the spans that still wait, with the headers that the operator has set", async () => {
  await using collector = await startCollector();
  const service = await startService({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20hidden",
      OTEL_SERVICE_NAME: "postdate-eu",
    },
  });
  await addTarget(service);
  const messageId = await deliverOne(service);
  expect(await service.server.stop()).toBe(0);
  const sent = collector.spans.filter(
    ({ attributes }) => attributes["messaging.message.id"] === messageId,
  );
  expect(sent).toMatchObject([{ resource: { "service.name": "postdate-eu" } }]);
  for (const headers of collector.requests) {
    expect(headers).toMatchObject({
      authorization: "Bearer hidden",
      "content-type": "application/json",
    });
  }
  expect(service.server.output()).not.toContain("hidden");
  expect(linesOf(service, "spans lost")).toEqual([]);
});

test.each([
  ["refuses them", 400],
  ["never answers", "never"],
] as const)("a collector that %s costs only the spans", async (_name, answer) => {
  await using collector = await startCollector();
  collector.answerWith(answer);
  const service = await startService({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  await addTarget(service);
  for (let round = 0; round < 3; round++) await deliverOne(service);
  await expect.poll(() => linesOf(service, "spans lost")).not.toEqual([]);
  await deliverOne(service);
  expect(await service.server.stop()).toBe(0);
  const [first] = linesOf(service, "spans lost");
  expect(first).toMatchObject({ level: "warn", spans: expect.any(Number) });
  expect(linesOf(service, "stopped")).toHaveLength(1);
  expect(collector.spans).toEqual([]);
});

test("a collector that never ends its answer does not keep a server from stopping", async () => {
  await using collector = await startCollector();
  collector.answerWith("endlessly");
  const service = await startService({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  await addTarget(service);
  await deliverOne(service);
  await expect.poll(() => collector.requests.length).toBeGreaterThan(0);
  expect(await service.server.stop()).toBe(0);
});

test("a server without a collector loads none of the tracing libraries", async () => {
  await using collector = await startCollector();
  const telling = `import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier.startsWith("@opentelemetry/")) process.stderr.write("loads " + specifier + "\\n");
        return next(specifier, context);
      },
    });`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(telling)}`;
  const loadedBy = async (env: Record<string, string>): Promise<Set<string>> => {
    const service = await startService({ env: { NODE_OPTIONS, ...env } });
    await addTarget(service);
    await deliverOne(service);
    expect(await service.server.stop()).toBe(0);
    return new Set(service.server.output().match(/(?<=loads @opentelemetry\/)[\w-]+/g));
  };
  const libraries = ["core", "exporter-trace-otlp-http", "resources", "sdk-trace"];
  const on = await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect([...on]).toEqual(expect.arrayContaining(libraries));
  const off = await loadedBy({});
  expect(libraries.filter((name) => off.has(name))).toEqual([]);
});
