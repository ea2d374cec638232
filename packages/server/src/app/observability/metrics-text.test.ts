import { Gauge, Registry } from "@prometheus-io/client";
import { expect, test } from "vitest";
import { systemTimers } from "../../platform/timers.ts";
import { createMetricsText } from "./metrics-text.ts";

test("the text is made at most once a second, for all callers", async () => {
  let now = 0;
  let made = 0;
  const registry = { contentType: "text/plain", metrics: async () => `made ${++made}` };
  const read = createMetricsText(registry as never, {
    clock: { monotonic: () => now },
    timers: systemTimers,
  });
  const all = await Promise.all(Array.from({ length: 100 }, () => read()));
  expect(new Set(all.map(({ body }) => body))).toEqual(new Set(["made 1"]));
  now = 1_000;
  expect(await read()).toEqual({ contentType: "text/plain", body: "made 1" });
  now = 1_001;
  expect((await read()).body).toBe("made 2");
});

test("an unknown value is NaN, as the format spells it", async () => {
  const registry = new Registry();
  const registers = [registry];
  const gauge = new Gauge({ name: "pending", help: "Not Nan", labelNames: ["a"], registers });
  gauge.set({ a: "is Nan" }, Number.NaN);
  gauge.set({ a: " Nan" }, 1);
  const read = createMetricsText(registry, { clock: { monotonic: () => 0 }, timers: systemTimers });
  const lines = (await read()).body.split("\n");
  expect(lines).toContain("# HELP pending Not Nan");
  expect(lines).toContain('pending{a="is Nan"} NaN');
  expect(lines).toContain('pending{a=" Nan"} 1');
});
