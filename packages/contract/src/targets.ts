import type { Static, TSchema } from "typebox";
import { Attempt } from "./attempts.ts";
import { messageId, named, payload, strict, targetId, time } from "./fields.ts";
import { pageFields } from "./lists.ts";
import { givenRetryPolicy, RetryPolicy } from "./retry-policies.ts";
import { Type } from "./type.ts";

const url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: "Where attempts are sent by POST. Private and special addresses are refused.",
  examples: ["https://shop.example.com/hooks/orders"],
});
const headers = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: Type.String({ maxLength: 4_096 }),
  maxProperties: 32,
  description:
    'Headers that every attempt carries besides those of the service. Their values are kept sealed and never shown; the value `"set"` cannot be given.',
  examples: [{ "x-shop": "berlin" }],
});
const shownHeaders = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: Type.String(),
  description:
    'Headers that every attempt carries besides those of the service. Values are never shown: each is `"set"`.',
  examples: [{ authorization: "set" }],
});
const newHeaders = {
  ...headers,
  description:
    'Replaces all headers. The value `"set"` keeps the one that the header has; it is refused where there is none. Headers left out are removed, null removes all. With a `url` of another scheme, host or port no value is kept: give them again, or `{}`.',
  examples: [{ authorization: "set", "x-shop": "berlin" }],
};
const contentType = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "The `Content-Type` of every attempt; `text/plain; charset=utf-8` by default.",
});
const timeoutMs = Type.Integer({
  minimum: 100,
  maximum: 300_000,
  description: "How long one attempt may take; 15,000 by default.",
});
const maxConcurrency = Type.Integer({
  minimum: 1,
  maximum: 1_000,
  description: "How many attempts may be under way at once; 50 by default.",
});
const paused = Type.Boolean({
  description: "While true, messages are kept and no attempt is started.",
});
const rateLimitFields = {
  max: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: "How many attempts may start within the interval.",
  }),
  intervalMs: Type.Integer({ minimum: 1, maximum: 86_400_000, description: "The interval." }),
};
type RateLimit = { max: number; intervalMs: number };
const rateLimit = Type.Unsafe<RateLimit | null>({
  ...Type.Object(rateLimitFields, strict),
  type: ["object", "null"],
  description: "How many attempts may start in a span of time; null: as many as there are.",
});
const secret = Type.String({
  maxLength: 128,
  description:
    "The signing secret: `whsec_` and 24 to 64 bytes in base64. Generated where it is left out.",
});

export const Target = Type.Object(
  {
    targetId,
    kind: Type.String({ enum: ["webhook"], description: "How the target receives messages." }),
    url,
    headers: shownHeaders,
    contentType: Type.String({ description: "The `Content-Type` of every attempt." }),
    timeoutMs: Type.Integer({ description: "How long one attempt may take." }),
    retryPolicy: named(RetryPolicy),
    maxConcurrency: Type.Integer({ description: "How many attempts may be under way at once." }),
    rateLimit,
    paused,
    creationTime: time("When the target was created."),
    updateTime: time("When the target was last changed."),
  },
  { $id: "Target", description: "Where messages are delivered, and how. Never with a secret." },
);

export const TargetWithSecret = Type.Object(
  {
    ...Target.properties,
    secret: Type.String({
      description: "The signing secret. It is shown here and never again.",
      examples: ["whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hbi1leGFtcGxl"],
    }),
  },
  { $id: "TargetWithSecret", description: "A target, with the signing secret that it has now." },
);

export const CreateTarget = Type.Object(
  {
    targetId: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9_-]{1,64}$",
        description: "1 to 64 letters, digits, `_` and `-`; generated where it is left out.",
        examples: ["orders"],
      }),
    ),
    kind: Type.Optional(
      Type.Unsafe<"webhook">({
        type: "string",
        enum: ["webhook"],
        default: "webhook",
        description: "How the target receives messages.",
      }),
    ),
    url,
    headers: Type.Optional(headers),
    contentType: Type.Optional(contentType),
    timeoutMs: Type.Optional(timeoutMs),
    retryPolicy: Type.Optional(givenRetryPolicy),
    maxConcurrency: Type.Optional(maxConcurrency),
    rateLimit: Type.Optional(rateLimit),
    paused: Type.Optional(paused),
    secret: Type.Optional(secret),
  },
  {
    ...strict,
    $id: "CreateTarget",
    description: "A new target.",
    examples: [{ targetId: "orders", url: "https://shop.example.com/hooks/orders" }],
  },
);

/** The same schema, or null. */
function orNull<Schema extends TSchema>(schema: Schema) {
  const type = "type" in schema ? [schema.type, "null"] : undefined;
  return Type.Optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type }));
}

export const UpdateTarget = Type.Object(
  {
    url: Type.Optional(url),
    headers: orNull(newHeaders),
    contentType: orNull(contentType),
    timeoutMs: orNull(timeoutMs),
    retryPolicy: orNull(givenRetryPolicy),
    maxConcurrency: orNull(maxConcurrency),
    rateLimit: Type.Optional(rateLimit),
    paused: orNull(paused),
  },
  {
    ...strict,
    $id: "UpdateTarget",
    description:
      "The parts to change. Each part that is given replaces the old one whole; null brings its default back; parts left out stay.",
    examples: [{ timeoutMs: 5000, rateLimit: { max: 100, intervalMs: 1000 } }],
  },
);

export const RotateSecret = Type.Object(
  {
    secret: Type.Optional(secret),
    overlapMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 86_400_000,
        description:
          "How long attempts are signed with the old secret as well; 24 hours by default. With the current `secret` it can lengthen an overlap that is under way, never shorten it.",
      }),
    ),
  },
  { ...strict, $id: "RotateSecret", description: "How to rotate the secret; may be left out." },
);

export const TestTarget = Type.Object(
  { payload: Type.Optional(payload) },
  { ...strict, $id: "TestTarget", description: "What to send as a test; may be left out." },
);

export const TestResult = Type.Object(
  { targetId, messageId, attempt: named(Attempt) },
  { $id: "TestResult", description: "The one attempt that a test made." },
);

export const TargetPage = Type.Object(
  { items: Type.Array(named(Target)), ...pageFields },
  { $id: "TargetPage", description: "One page of targets, by `targetId`." },
);
