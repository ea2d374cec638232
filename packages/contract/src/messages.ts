import { Errors } from "./errors.ts";
import { changedBound, givenMessageOptions, shownMessageOptions } from "./message-options.ts";
import {
  givenDelay,
  givenTime,
  messageId,
  named,
  payload,
  strict,
  targetId,
  time,
  timeOrNull,
  visibleAscii,
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
    ...shownMessageOptions,
  },
  {
    $id: "Message",
    description:
      "A message. The first eleven fields are always present; empty ones are null. The others are present only where they are set.",
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

/** The operation checks that exactly one of the two times is given. */
const scheduled = {
  targetId: Type.String({
    description: "The target that the message is delivered to.",
    examples: ["orders"],
  }),
  deliveryTime: Type.Optional(
    givenTime(
      "When to deliver the message: this or `delayMs`. A time in the past means now. There is no upper limit.",
    ),
  ),
  payload,
  delayMs: Type.Optional(
    givenDelay(
      "How long after `schedulingTime` to deliver the message, instead of `deliveryTime`. The service's clock counts it, and a repeat with the same idempotency key does not move it.",
    ),
  ),
  ...givenMessageOptions,
};

const example = {
  targetId: "orders",
  deliveryTime: "2026-11-14T09:30:00Z",
  payload: '{"order":4711,"remind":true}',
};

const { deliveryTime: _, ...timeless } = example;

export const ScheduleMessage = Type.Object(scheduled, {
  ...strict,
  $id: "ScheduleMessage",
  description:
    "A message to be delivered later: at `deliveryTime`, or after `delayMs`. Exactly one of the two is given.",
  examples: [example, { ...timeless, delayMs: 7_200_000 }],
});

const keyRule = {
  minLength: 1,
  maxLength: 255,
  examples: ["order-4711-reminder"],
};

export const BatchMessage = Type.Object(
  {
    ...scheduled,
    idempotencyKey: Type.Optional(
      Type.String({
        ...keyRule,
        pattern: visibleAscii,
        description:
          "1 to 255 visible ASCII characters. Does for this message what the header `Idempotency-Key` does for a message that is scheduled alone, and both know the same keys. Not together with that header.",
      }),
    ),
  },
  {
    ...strict,
    $id: "BatchMessage",
    description: "A message of a batch: the fields of a single one, and a key of its own.",
    examples: [{ ...example, idempotencyKey: "order-4711-reminder" }],
  },
);

export const batchLimit = 1_000;

export const ScheduleBatch = Type.Object(
  { messages: Type.Array(named(BatchMessage), { minItems: 1, maxItems: batchLimit }) },
  {
    ...strict,
    $id: "ScheduleBatch",
    description: "Up to 1,000 messages. Each is accepted or refused separately.",
  },
);

export const KeyOutcome = Type.Unsafe<"created" | "kept" | "replaced" | "debounced">({
  $id: "KeyOutcome",
  type: "string",
  enum: ["created", "kept", "replaced", "debounced"],
  description:
    "What became of a message with a `key`. `created`: the key was free. `kept`: another message has it. `replaced`, `debounced`: this one took its place.",
});

export const BatchResult = Type.Object(
  {
    message: Type.Optional(named(Message)),
    errors: Type.Optional(Errors.properties.errors),
    replayed: Type.Optional(
      Type.Literal(true, {
        description:
          "Present if the message's own `idempotencyKey` was used before by the same request. `message` is then the first answer, and nothing was scheduled.",
      }),
    ),
    keyOutcome: Type.Optional(named(KeyOutcome)),
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
  {
    deliveryTime: Type.Optional(
      givenTime("The new delivery time: this or `delayMs`. A time in the past means now."),
    ),
    delayMs: Type.Optional(
      givenDelay(
        "How long from now to deliver the message, instead of `deliveryTime`. It counts from the arrival of the call, by the service's clock, also if the call waits for an attempt in flight.",
      ),
    ),
    ...changedBound,
  },
  {
    ...strict,
    $id: "RescheduleMessage",
    description:
      "A new delivery time for a message: `deliveryTime` or `delayMs`. Exactly one of the two is given. A message with a `notAfter` keeps it, unless the request gives another, or null for none; without one the new time must be earlier than it.",
    examples: [{ deliveryTime: "2026-11-14T09:30:00Z" }, { delayMs: 7_200_000 }],
  },
);

export const MessagePayload = Type.Object(
  { messageId, payload: Type.String({ description: "The payload, exactly as it was scheduled." }) },
  { $id: "MessagePayload", description: "The payload of a message." },
);

export const MessagePath = Type.Object({ messageId });

export const MessageKeyPath = Type.Object({
  targetId,
  key: Type.String({
    description: "The key of a scheduled message, percent-encoded.",
    examples: ["digest-of-4711"],
  }),
});

export const IdempotencyHeaders = Type.Object({
  "Idempotency-Key": Type.Optional(
    Type.String({
      ...keyRule,
      description:
        "1 to 255 visible ASCII characters. A repeated request with the same key gets the first answer again, with `Idempotency-Replayed: true`, and schedules nothing.",
    }),
  ),
});
