import type { Static } from "typebox";
import { givenTime, named, printable, time, withoutControls } from "./fields.ts";
import { givenRetryPolicy, RetryPolicy } from "./retry-policies.ts";
import { orNull } from "./target-kinds/target-kind-schema.ts";
import { webhook } from "./target-kinds/webhook.ts";
import { Type } from "./type.ts";

export const labels = Type.Unsafe<Record<string, string>>({
  type: "object",
  maxProperties: 8,
  additionalProperties: Type.String({ minLength: 1, maxLength: 100, pattern: printable }),
  description:
    "Your own names for finding messages again: up to 8. A name has 1 to 40 of the characters `a-z`, `0-9`, `.`, `_` and `-`; a value has 1 to 100 characters.",
  examples: [{ order: "4711", region: "eu" }],
});

const notAfter =
  "No attempt starts at or after this time. The message then becomes a dead letter with `deadLetterReason` `NOT_AFTER`, also while its target is paused; at once if its next attempt would come later.";

const flexWindowMs = Type.Integer({
  minimum: 0,
  maximum: 86_400_000,
  description:
    "Spreads messages over a window of up to a day after their delivery time. The place of a message in the window follows from its id; `nextDeliveryTime` shows it. The window ends before `notAfter` does.",
});

const notAfterMs = Type.Integer({
  minimum: 1,
  maximum: 31_622_400_000_000,
  description:
    "As `notAfter`, in milliseconds after the delivery time. If the message is rescheduled, it moves along.",
});

const givenNotAfter = givenTime(`${notAfter} It must be later than the delivery time.`);

/** In a reschedule. Null removes the message's own. */
export const changedBound = {
  notAfter: orNull(givenNotAfter),
  notAfterMs: orNull(notAfterMs),
};

const key = {
  minLength: 1,
  maxLength: 200,
  pattern: withoutControls,
  examples: ["digest-of-4711"],
};

const longestQuietMs = 604_800_000;

/** What a request may set for one message. */
export const givenMessageOptions = {
  key: Type.Optional(
    Type.String({
      ...key,
      description:
        "Your own name for what the message is about: 1 to 200 characters. Among the scheduled messages of a target, one at most has it. It is free again when its message ends.",
    }),
  ),
  onConflict: Type.Optional(
    Type.Unsafe<"reject" | "keep" | "replace" | "replaceKeepTime" | "debounce">({
      type: "string",
      enum: ["reject", "keep", "replace", "replaceKeepTime", "debounce"],
      description: [
        "What to do if another scheduled message has the `key`.",
        "`reject` (the default): refuse this one.",
        "`keep`: keep that one and answer with it.",
        "`replace`: that one gets the payload, time and options of this one.",
        "`replaceKeepTime`: all but the time.",
        "`debounce`: as `replace`, and `debounce` sets the time.",
        "A message that was attempted before is cancelled instead, and a new one takes its key.",
      ].join(" "),
    }),
  ),
  debounce: Type.Optional(
    Type.Object(
      {
        quietMs: Type.Integer({
          minimum: 1,
          maximum: longestQuietMs,
          description: "Deliver when nothing more came for so long. Up to a week.",
        }),
        maxWaitMs: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 10 * longestQuietMs,
            description:
              "But no later than so long after the pending message was first scheduled; ten times `quietMs` by default.",
          }),
        ),
      },
      {
        additionalProperties: false,
        description:
          "Sets the time instead of `deliveryTime` and `delayMs`, with `onConflict` `debounce`.",
        examples: [{ quietMs: 600_000, maxWaitMs: 3_600_000 }],
      },
    ),
  ),
  labels: Type.Optional(labels),
  retryPolicy: Type.Optional(
    Type.Unsafe<Static<typeof givenRetryPolicy>>({
      ...givenRetryPolicy,
      description:
        "When failed deliveries of this message are attempted again, instead of the target's whole policy. Parts that are left out take their defaults.",
    }),
  ),
  notAfter: Type.Optional(givenNotAfter),
  notAfterMs: Type.Optional(notAfterMs),
  headers: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: "object",
      maxProperties: 20,
      additionalProperties: Type.String({ maxLength: 4_096 }),
      description:
        "Headers of the attempts at this message, besides those of its target and instead of those with the same names: up to 20, with at most 4,096 characters in all names and values. The values are stored sealed and never shown.",
      examples: [{ "x-tenant": "berlin" }],
    }),
  ),
  contentType: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "The `Content-Type` of the attempts at this message, instead of the target's.",
      examples: ["application/json"],
    }),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 300_000,
      description: "How long one attempt at this message may take, instead of the target's.",
    }),
  ),
  flexWindowMs: Type.Optional(flexWindowMs),
};

export const deadLetterReasons = [
  "ATTEMPTS_EXHAUSTED",
  "FINAL_ANSWER",
  "ADDRESS_REFUSED",
  "NOT_AFTER",
  "REJECTED",
] as const;

export const DeadLetterReason = Type.Unsafe<(typeof deadLetterReasons)[number]>({
  $id: "DeadLetterReason",
  type: "string",
  enum: [...deadLetterReasons],
  description: [
    "`ATTEMPTS_EXHAUSTED`: its retry policy allows no further attempt.",
    "`FINAL_ANSWER`: the target answered 410, or a status that the policy calls final.",
    "`ADDRESS_REFUSED`: the target's address is not allowed.",
    "`NOT_AFTER`: its `notAfter` came first.",
    "`REJECTED`: it could not be sent to this target at all.",
  ].join(" "),
});

/** What an answer shows of a message only where it is set. */
export const shownMessageOptions = {
  deadLetterReason: Type.Optional(named(DeadLetterReason)),
  cancellationReason: Type.Optional(
    Type.Literal("REPLACED", {
      description:
        "Another message has taken its place: it got the same `key` after this one was attempted, or it is the next run of the same schedule, whose `overlap` is `replace`.",
    }),
  ),
  key: Type.Optional(Type.String({ ...key, description: "The key that was set." })),
  labels: Type.Optional(labels),
  retryPolicy: Type.Optional(named(RetryPolicy)),
  notAfter: Type.Optional(time(notAfter)),
  notAfterMs: Type.Optional(notAfterMs),
  headers: Type.Optional({
    ...webhook.shown.headers,
    description:
      'Headers that were set for this message. Their values are never shown: each is `"set"`.',
  }),
  contentType: Type.Optional(
    Type.String({ description: "The `Content-Type` that was set for this message." }),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({ description: "How long one attempt at this message may take." }),
  ),
  flexWindowMs: Type.Optional(flexWindowMs),
  scheduleId: Type.Optional(
    Type.String({
      description: "The recurring schedule that has made the message.",
      examples: ["weekday-digest"],
    }),
  ),
  runTime: Type.Optional(time("The run of that schedule that the message belongs to.")),
};
