import { ExportResultCode } from "@opentelemetry/core";
import { TracerProvider } from "@opentelemetry/sdk-trace";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { expect, onTestFinished, test } from "vitest";
import { boundedExport } from "./bounded-export.ts";

/** An exporter whose exports the test ends. */
function openExport(mostWaiting: number) {
  let isOver = false;
  const begun: { readonly spans: number; readonly end: (code: ExportResultCode) => void }[] = [];
  const exporter: SpanExporter = {
    export: (spans, done) => {
      if (isOver) return done({ code: ExportResultCode.SUCCESS });
      begun.push({
        spans: spans.length,
        end: (code) =>
          done(code === ExportResultCode.SUCCESS ? { code } : { code, error: new Error("no") }),
      });
    },
    shutdown: async () => {},
  };
  const lost: string[] = [];
  const processor = boundedExport({
    exporter,
    mostWaiting,
    exportTimeoutMs: 60_000,
    onLost: (count, error) => void lost.push(`${count}: ${error.message}`),
  });
  const tracer = new TracerProvider({ spanProcessors: [processor] }).getTracer("test");
  const end = (count: number): void => {
    for (let index = 0; index < count; index++) tracer.startSpan("x").end();
  };
  onTestFinished(async () => {
    isOver = true;
    const closed = processor.shutdown();
    for (const each of begun) each.end(ExportResultCode.SUCCESS);
    await closed;
  });
  return { begun, lost, end };
}

const tooMany = "1: too many spans wait to be sent";

test("spans that wait or are under way are bounded; the others are lost, and said to be", () => {
  const { begun, lost, end } = openExport(10);
  end(10);
  expect(begun).toMatchObject([{ spans: 10 }]);
  end(1_000);
  expect(begun).toHaveLength(1);
  expect(lost).toEqual(Array(1_000).fill(tooMany));
  begun[0]!.end(ExportResultCode.SUCCESS);
  end(4);
  expect(lost).toHaveLength(1_000);
});

test("spans that the collector refuses are lost, and their places are free again", () => {
  const { begun, lost, end } = openExport(5);
  end(5);
  begun[0]!.end(ExportResultCode.FAILED);
  expect(lost).toEqual(["5: no"]);
  end(6);
  expect(lost).toEqual(["5: no", tooMany]);
});
