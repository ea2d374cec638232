import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import type { Sampler } from "@opentelemetry/sdk-trace";
import type { TraceSampler } from "../../../config/settings.ts";
import { isSampled } from "./span-contexts.ts";

/** The samplers that OpenTelemetry has names for. */
const samplers: Readonly<Record<TraceSampler, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () =>
    new ParentBasedSampler({ root: followLinks(new AlwaysOffSampler()) }),
  parentbased_traceidratio: (ratio) =>
    new ParentBasedSampler({ root: followLinks(new TraceIdRatioBasedSampler(ratio)) }),
};

export function chooseSampler(name: TraceSampler, ratio: number): Sampler {
  return samplers[name](ratio);
}

/**
 * Whoever sampled the call that scheduled a message wants to see its attempts. Their traces have no parent, only a link
 * to that call.
 */
function followLinks(otherwise: Sampler): Sampler {
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      if (links.some((link) => isSampled(link.context))) {
        return { decision: SamplingDecision.RECORD_AND_SAMPLED };
      }
      return otherwise.shouldSample(context, traceId, name, kind, attributes, links);
    },
    toString: () => `FollowLinks{${otherwise.toString()}}`,
  };
}
