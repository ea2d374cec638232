import { Errors } from "./errors.ts";
import {
  givenTime,
  messageId,
  named,
  payload,
  strict,
  targetId,
  time,
  timeOrNull,
} from "./fields.ts";
import { Type } from "./type.ts";

export const MessageState = Type.Unsafe<"SCHEDULED" | "DELIVERED" | "DEAD_LETTER" | "CANCELLED">({
  $id: "MessageState",
  type: "string",
  enum: ["SCHEDULED", "DELIVERED", "DEAD_LETTER", "CANCELLED"],
  description: [
    "`SCHEDULED`: it waits for its next delivery attempt.",
    "`DELIVERED`: the target accepted it.",
    "`DEAD_LETTER`: it could not be delivered and is not attempted any more.",
    "`CANCELLED`: it was cancelled before it was delivered.",
  ].join(" "),
});

export const Message = Type.Object(
  {
    messageId,
    targetId,
    schedulingTime: time("When the message was scheduled."),
    originalDeliveryTime: time("The delivery time that it was first scheduled for."),
    state: named(MessageState),
    deliveryFailureCount: Type.Integer({
      minimum: 0,
      description: "How many delivery attempts have failed.",
    }),
    nextDeliveryTime: timeOrNull("When the next attempt is due; null unless `SCHEDULED`."),
    lastDeliveryTime: timeOrNull("When the latest attempt began; null before the first."),
    deadLetterTime: timeOrNull("When it became a dead letter."),
    cancellationTime: timeOrNull("When it was cancelled."),
    expirationTime: timeOrNull("When it is removed from the service; null while `SCHEDULED`."),
  },
  {
    $id: "Message",
    description: "A message. All eleven fields are always present; empty ones are null.",
    examples: [
      {
        messageId: "msg_01k9xvq8c7e4nv3q0t2m5r8w1z",
        targetId: "orders",
        schedulingTime: "2026-11-13T16:04:11.482Z",
        originalDeliveryTime: "2026-11-14T09:30:00.000Z",
        state: "SCHEDULED",
        deliveryFailureCount: 0,
        nextDeliveryTime: "2026-11-14T09:30:00.000Z",
        lastDeliveryTime: null,
        deadLetterTime: null,
        cancellationTime: null,
        expirationTime: null,
      },
    ],
  },
);

export const ScheduleMessage = Type.Object(
  {
    targetId: Type.String({
      description: "The target that the message is delivered to.",
      examples: ["orders"],
    }),
    deliveryTime: givenTime(
      "When to deliver the message. A time in the past means now. There is no upper limit.",
    ),
    payload,
  },
  {
    ...strict,
    $id: "ScheduleMessage",
    description: "A message to be delivered later.",
    examples: [
      {
        targetId: "orders",
        deliveryTime: "2026-11-14T09:30:00Z",
        payload: '{"order":4711,"remind":true}',
      },
    ],
  },
);

export const batchLimit = 1_000;

export const ScheduleBatch = Type.Object(
  { messages: Type.Array(named(ScheduleMessage), { minItems: 1, maxItems: batchLimit }) },
  {
    ...strict,
    $id: "ScheduleBatch",
    description: "Up to 1,000 messages. Each is accepted or refused separately.",
  },
);

export const BatchResult = Type.Object(
  {
    message: Type.Optional(named(Message)),
    errors: Type.Optional(Errors.properties.errors),
  },
  {
    $id: "BatchResult",
    description:
      "The result of one message of the batch: `message`, or `errors` if it was refused.",
  },
);

export const BatchResults = Type.Object(
  { results: Type.Array(named(BatchResult)) },
  { $id: "BatchResults", description: "One result for each message, in the order of the request." },
);

export const RescheduleMessage = Type.Object(
  { deliveryTime: givenTime("The new delivery time. A time in the past means now.") },
  { ...strict, $id: "RescheduleMessage", description: "A new delivery time for a message." },
);

export const MessagePayload = Type.Object(
  { messageId, payload: Type.String({ description: "The payload, exactly as it was scheduled." }) },
  { $id: "MessagePayload", description: "The payload of a message." },
);

export const MessagePath = Type.Object({ messageId });

export const IdempotencyHeaders = Type.Object({
  "Idempotency-Key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "1 to 255 visible ASCII characters. A repeated request with the same key gets the first answer again, with `Idempotency-Replayed: true`, and schedules nothing.",
      examples: ["order-4711-reminder"],
    }),
  ),
});
