import { strict } from "./fields.ts";
import { Type } from "./type.ts";

const longestDelayMs = 30 * 86_400_000;

const delay = (description: string) =>
  Type.Integer({ minimum: 0, maximum: longestDelayMs, description });

const jitter = (byDefault = "") =>
  Type.Number({
    minimum: 0,
    maximum: 1,
    description: `The share of each delay that is random${byDefault}.`,
  });

export const backoffKinds = ["exponential", "list"] as const;

const exponentialKind = Type.Literal(backoffKinds[0]);
const listKind = Type.Literal(backoffKinds[1]);
const delays = Type.Array(delay("Milliseconds before the next attempt."), {
  minItems: 1,
  maxItems: 100,
  description: "The delay after each failure; the last one repeats.",
});

const backoffDescription =
  "How long to wait after a failure: a delay that grows by a factor, or a list of delays.";

/** The backoff in an answer, with all its parts. */
const Backoff = Type.Unsafe<
  | { kind: "exponential"; initialMs: number; factor: number; maxMs: number; jitter: number }
  | { kind: "list"; delaysMs: number[]; jitter: number }
>({
  type: "object",
  description: backoffDescription,
  discriminator: { propertyName: "kind" },
  oneOf: [
    Type.Object({
      kind: exponentialKind,
      initialMs: delay("The first delay."),
      factor: Type.Number({ description: "The factor by which each further delay grows." }),
      maxMs: delay("The longest delay."),
      jitter: jitter(),
    }),
    Type.Object({ kind: listKind, delaysMs: delays, jitter: jitter() }),
  ],
});

export const RetryPolicy = Type.Object(
  {
    maxAttempts: Type.Integer({ description: "The most attempts that a message gets." }),
    backoff: Backoff,
    finalStatuses: Type.Array(Type.Integer(), {
      description: "Statuses after which no further attempt is made, besides 410.",
    }),
    maxRetryAfterMs: Type.Integer({
      description: "How long a target can delay the next attempt with `Retry-After`.",
    }),
  },
  { $id: "RetryPolicy", description: "When a failed delivery is attempted again." },
);

/** The backoff in a request. Parts that are left out take their defaults. */
const GivenBackoff = Type.Unsafe<
  | { kind: "exponential"; initialMs?: number; factor?: number; maxMs?: number; jitter?: number }
  | { kind: "list"; delaysMs: number[]; jitter?: number }
>({
  type: "object",
  description: backoffDescription,
  discriminator: { propertyName: "kind" },
  oneOf: [
    Type.Object(
      {
        kind: exponentialKind,
        initialMs: Type.Optional(delay("The first delay; 5 seconds by default.")),
        factor: Type.Optional(
          Type.Number({
            minimum: 1,
            maximum: 100,
            description: "The factor by which each further delay grows; 2 by default.",
          }),
        ),
        maxMs: Type.Optional(delay("The longest delay; 12 hours by default.")),
        jitter: Type.Optional(jitter("; 0.1 by default")),
      },
      strict,
    ),
    Type.Object(
      {
        kind: listKind,
        delaysMs: delays,
        jitter: Type.Optional(jitter("; none by default")),
      },
      strict,
    ),
  ],
});

export const givenRetryPolicy = Type.Object(
  {
    maxAttempts: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description:
          "The most attempts that a message gets. By default one more than the list has delays; 10 for exponential backoff.",
      }),
    ),
    backoff: Type.Optional(GivenBackoff),
    finalStatuses: Type.Optional(
      Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
        maxItems: 50,
        description: "Statuses after which no further attempt is made, besides 410.",
      }),
    ),
    maxRetryAfterMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 86_400_000,
        description:
          "How long a target can delay the next attempt with `Retry-After`; an hour by default.",
      }),
    ),
  },
  {
    ...strict,
    description:
      "When a failed delivery is attempted again. Parts that are left out take their defaults: the delays 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.",
    examples: [
      {
        maxAttempts: 5,
        backoff: { kind: "exponential", initialMs: 1000, factor: 3, maxMs: 600000, jitter: 0.2 },
        finalStatuses: [400, 404],
      },
    ],
  },
);
