import { expect, test } from "vitest";
import { readSettings } from "./read-settings.ts";
import { settingsSummary } from "./settings-summary.ts";

const read = (
  env: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
) => readSettings({ flags: {}, env, readFile: (path) => files[path] ?? "" });

test("tracing is set by the variables of OpenTelemetry, also from files", () => {
  const reading = read(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/",
      OTEL_EXPORTER_OTLP_HEADERS_FILE: "/run/headers",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
      POSTDATE_TRACE_RELATION: "parent",
      OTEL_SERVICE_NAME: "read by the library",
    },
    { "/run/headers": "authorization=Bearer%20hidden,x-tenant=shop\n" },
  );
  if (reading.kind === "mistakes") expect.fail(reading.mistakes.join("\n"));
  expect(reading.warnings).toEqual([]);
  expect(reading.settings).toMatchObject({
    otlpEndpoint: "http://collector:4318",
    otlpHeaders: "authorization=Bearer%20hidden,x-tenant=shop",
    traceSampler: "parentbased_traceidratio",
    traceSampleRatio: 0.25,
    traceRelation: "parent",
  });
  const summary = settingsSummary(reading.settings);
  expect(summary).toMatchObject({ otlpHeaders: "set" });
  expect(JSON.stringify(summary)).not.toContain("hidden");
});

test("every mistake is told at once, and none repeats a header", () => {
  const reading = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317",
    OTEL_EXPORTER_OTLP_HEADERS: "hidden",
    OTEL_TRACES_SAMPLER: "xray",
    OTEL_TRACES_SAMPLER_ARG: "1.5",
    POSTDATE_TRACE_RELATION: "child",
  });
  if (reading.kind === "settings") expect.fail("it was accepted");
  expect(reading.mistakes).toHaveLength(5);
  for (const name of ["ENDPOINT", "HEADERS", "SAMPLER", "SAMPLER_ARG", "TRACE_RELATION"]) {
    expect(reading.mistakes).toContainEqual(expect.stringContaining(`${name} must be`));
  }
  expect(reading.mistakes.join()).not.toContain("hidden");
});
