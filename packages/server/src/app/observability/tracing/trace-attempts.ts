import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Tracer } from "@opentelemetry/api";
import type { TraceRelation } from "../../../config/settings.ts";
import type { AttemptTracer } from "../../../engine/delivery/attempt-tracer.ts";
import { conventions, deliverName, deliverType, systemName } from "./conventions.ts";
import { readTraceParent, writeTraceParent } from "./span-contexts.ts";

/**
 * A span for each attempt. It is the root of a trace of its own, which links to the call that scheduled the message:
 * the two may be weeks apart, and a message may have many attempts. An operator may want one trace instead.
 */
export function traceAttempts(tracer: Tracer, relation: TraceRelation): AttemptTracer {
  return {
    begin({ target, claim, startTime }) {
      const created = readTraceParent(claim.options?.traceParent);
      const isChild = created !== undefined && relation === "parent";
      const parent = isChild ? trace.setSpanContext(ROOT_CONTEXT, created) : ROOT_CONTEXT;
      const span = tracer.startSpan(
        `${deliverName} ${target.targetId}`,
        {
          // The conventions call the span in which a message came into being its producer. If no call is known
          // to be that, the receiver takes this span for it.
          kind: created === undefined ? SpanKind.PRODUCER : SpanKind.CLIENT,
          links: created === undefined || isChild ? [] : [{ context: created }],
          attributes: {
            [conventions.messagingSystem]: systemName,
            [conventions.messagingOperationName]: deliverName,
            [conventions.messagingOperationType]: deliverType,
            [conventions.messagingDestinationName]: target.targetId,
            [conventions.messagingMessageId]: claim.messageId,
            [conventions.messagingMessageBodySize]: Buffer.byteLength(claim.payload),
            [conventions.accountId]: target.accountId,
            [conventions.attemptNumber]: claim.attemptNumber,
            [conventions.latenessMs]: startTime - Math.max(claim.dueAt, claim.planningTime),
          },
        },
        parent,
      );
      return {
        traceParent: writeTraceParent(span.spanContext()),
        ended({ outcome, statusCode }) {
          span.setAttribute(conventions.attemptOutcome, outcome);
          if (statusCode !== null) {
            span.setAttribute(conventions.httpResponseStatusCode, statusCode);
          }
          if (outcome !== "DELIVERED") {
            span.setAttribute(conventions.errorType, outcome);
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        },
      };
    },
  };
}
