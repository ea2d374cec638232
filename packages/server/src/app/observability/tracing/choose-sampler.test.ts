import { ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { SamplingDecision } from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { traceSamplers } from "../../../config/settings.ts";
import type { TraceSampler } from "../../../config/settings.ts";
import { chooseSampler } from "./choose-sampler.ts";
import { readTraceParent } from "./span-contexts.ts";

const ids = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7";
const sampled = readTraceParent(`00-${ids}-01`)!;
const unsampled = readTraceParent(`00-${ids}-00`)!;

function samples(
  name: TraceSampler,
  {
    parent = undefined as typeof sampled | undefined,
    link = undefined as typeof sampled | undefined,
  } = {},
): boolean {
  const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const links = link === undefined ? [] : [{ context: link }];
  const { decision } = chooseSampler(name, 0).shouldSample(
    context,
    "f".repeat(32),
    "x",
    SpanKind.CLIENT,
    {},
    links,
  );
  return decision === SamplingDecision.RECORD_AND_SAMPLED;
}

test("what each sampler takes: without a parent, below one of either kind, and with a link", () => {
  const table = traceSamplers.map((name) => [
    name,
    samples(name),
    samples(name, { parent: sampled }),
    samples(name, { parent: unsampled }),
    samples(name, { link: sampled }),
    samples(name, { link: unsampled }),
  ]);
  expect(table).toEqual([
    ["always_on", true, true, true, true, true],
    ["always_off", false, false, false, false, false],
    ["traceidratio", false, false, false, false, false],
    ["parentbased_always_on", true, true, false, true, true],
    ["parentbased_always_off", false, true, false, true, false],
    ["parentbased_traceidratio", false, true, false, true, false],
  ]);
});
