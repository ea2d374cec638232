import fc from "fast-check";
import { expect, test } from "vitest";
import {
  BatchResult,
  BatchResults,
  DeadLetterReason,
  ErrorObject,
  KeyOutcome,
  Message,
  MessageState,
  RetryPolicy,
  Type,
} from "@postdate/contract";
import type { KeyOutcome as Outcome } from "../../domain/message-key.ts";
import { scheduled } from "../../domain/transitions.ts";
import type { BatchItem } from "../../operations/messages/schedule-batch.ts";
import { buildSerialisers } from "../body/compilers.ts";
import { wireBatch, writeBatch } from "./wire-batch.ts";

const text = fc.string({ unit: "binary" });
const outcomes: readonly Outcome[] = ["created", "kept", "replaced", "debounced"];

const accepted: fc.Arbitrary<BatchItem> = fc
  .record(
    {
      key: fc.option(text),
      replayed: fc.constant(true as const),
      keyOutcome: fc.constantFrom(...outcomes),
    },
    { requiredKeys: ["key"] },
  )
  .map(({ key, ...rest }) => {
    const draft = { messageId: "m", targetId: "t", deliveryTime: 7 };
    const options = key === null ? null : { key, labels: { a: key } };
    return { message: scheduled({ ...draft, options }, 5), ...rest };
  });

const refused: fc.Arbitrary<BatchItem> = fc.record({
  errors: fc.array(
    fc.record({ code: text, message: text, field: text }, { requiredKeys: ["code", "message"] }),
    { minLength: 1 },
  ),
}) as fc.Arbitrary<BatchItem>;

const names = { BatchResult, BatchResults, Message, MessageState, DeadLetterReason, RetryPolicy };

/** Has the shape of a batch, but is another schema, so the compiled serialiser writes it. */
const compiled = buildSerialisers({ ...names, KeyOutcome, Error: ErrorObject })({
  method: "GET",
  url: "/",
  httpStatus: "200",
  schema: Type.Object({ batch: Type.Unsafe({ $ref: "BatchResults#" }) }),
});

test("the hand-written serialiser and the compiled one write the same batch", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(accepted, refused)), (items) => {
      const batch = wireBatch(items, (problems) => problems);
      expect(`{"batch":${writeBatch(batch)}}`).toBe(compiled({ batch }));
    }),
  );
});
