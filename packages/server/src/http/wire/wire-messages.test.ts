import fc from "fast-check";
import { expect, test } from "vitest";
import { DeadLetterReason, Message, MessageState, RetryPolicy, Type } from "@postdate/contract";
import { endReasons } from "../../domain/end-reason.ts";
import type { Message as DomainMessage } from "../../domain/message.ts";
import { defaultRetryPolicy } from "../../domain/retry-policy.ts";
import { earliestTime, latestTime } from "../../domain/times.ts";
import { buildSerialisers } from "../body/compilers.ts";
import { wireMessage, writeMessage } from "./wire-messages.ts";

const time = fc.integer({ min: earliestTime, max: latestTime });
const timeOrNull = fc.option(time);
const plain = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const messages: fc.Arbitrary<DomainMessage> = fc.record({
  messageId: plain,
  targetId: plain,
  schedulingTime: time,
  originalDeliveryTime: time,
  state: fc.constantFrom("SCHEDULED", "DELIVERED", "DEAD_LETTER", "CANCELLED"),
  deliveryFailureCount: fc.nat(),
  nextDeliveryTime: timeOrNull,
  lastDeliveryTime: timeOrNull,
  deadLetterTime: timeOrNull,
  cancellationTime: timeOrNull,
  expirationTime: timeOrNull,
  endReason: fc.option(fc.constantFrom(...endReasons)),
  options: fc.option(
    fc.record(
      {
        key: fc.string({ unit: "binary" }),
        labels: fc.dictionary(plain, fc.string({ unit: "binary", minLength: 1 })),
        retryPolicy: fc.constant(defaultRetryPolicy),
        notAfter: time,
        notAfterMs: fc.nat(),
        flexWindowMs: fc.nat(),
        contentType: fc.string({ unit: "binary" }),
        timeoutMs: fc.nat(),
        headers: fc.record({ names: fc.uniqueArray(plain), sealed: fc.constant("x") }),
        schedule: fc.record({ scheduleId: plain, runTime: time }),
      },
      { requiredKeys: [] },
    ),
  ),
});

/** Has the shape of a message, but is another schema, so the compiled serialiser writes it. */
const compiled = buildSerialisers({ Message, MessageState, DeadLetterReason, RetryPolicy })({
  method: "GET",
  url: "/",
  httpStatus: "200",
  schema: Type.Object({ message: Type.Unsafe({ $ref: "Message#" }) }),
});

test("the hand-written serialiser and the compiled one write the same message", () => {
  fc.assert(
    fc.property(messages, fc.boolean(), (message, unmoved) => {
      const next = unmoved ? message.originalDeliveryTime : message.nextDeliveryTime;
      const wire = wireMessage({ ...message, nextDeliveryTime: next });
      expect(`{"message":${writeMessage(wire)}}`).toBe(compiled({ message: wire }));
    }),
  );
});
