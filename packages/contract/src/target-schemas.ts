import type { TProperties, TSchema } from "typebox";
import { chosenId, named, strict, targetId, time } from "./fields.ts";
import { givenRetryPolicy, RetryPolicy } from "./retry-policies.ts";
import { orNull, type TargetKindSchema } from "./target-kinds/target-kind-schema.ts";
import { Type } from "./type.ts";

const maxConcurrency = Type.Integer({
  minimum: 1,
  maximum: 1_000,
  description: "How many attempts may run at once; 50 by default.",
});
const paused = Type.Boolean({
  description: "While true, messages stay scheduled and no attempt starts.",
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
  description: "How many attempts may start in a span of time; null: no limit.",
});
const failingAfterFields = {
  attempts: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: "So many attempts in a row have failed, 10 by default,",
  }),
  ms: Type.Integer({
    minimum: 0,
    maximum: 86_400_000,
    description: "and the first of them ended so long ago; 60,000 by default.",
  }),
};
type FailingAfter = { attempts: number; ms: number };
const failingAfter = Type.Unsafe<FailingAfter>({
  ...Type.Object(failingAfterFields, strict),
  description:
    "When the target counts as failing. The event `target.failing` tells it with the failed attempt that makes it so.",
});
const kindDescription = "How the target receives messages.";

export const signingSecret = Type.String({
  maxLength: 128,
  description:
    "The signing secret: `whsec_` and 24 to 64 bytes in base64. Generated if it is left out.",
});
const shownSecret = Type.String({
  description: "The signing secret. It is shown here and never again.",
  examples: ["whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hbi1leGFtcGxl"],
});

/** The fields of every target in an answer. They follow the settings of its kind. */
export const shownFields = {
  retryPolicy: named(RetryPolicy),
  maxConcurrency: Type.Integer({ description: "How many attempts may run at once." }),
  rateLimit,
  paused,
  failingAfter,
  creationTime: time("When the target was created."),
  updateTime: time("When the target was last changed."),
};

export const newTargetId = Type.Optional(
  Type.String({
    pattern: chosenId,
    description: "1 to 64 letters, digits, `_` and `-`; generated if it is left out.",
    examples: ["orders"],
  }),
);

/** The fields of every new target. They follow the settings of its kind. */
export const givenFields = {
  retryPolicy: Type.Optional(givenRetryPolicy),
  maxConcurrency: Type.Optional(maxConcurrency),
  rateLimit: Type.Optional(rateLimit),
  paused: Type.Optional(paused),
  failingAfter: Type.Optional(failingAfter),
};

/** The fields that can change on every target. They follow the settings of its kind. */
export const changedFields = {
  retryPolicy: orNull(givenRetryPolicy),
  maxConcurrency: orNull(maxConcurrency),
  rateLimit: Type.Optional(rateLimit),
  paused: orNull(paused),
  failingAfter: orNull(failingAfter),
};

type Schema = Readonly<Record<string, unknown>>;

/** The schemas of targets, with the fields of each kind. The first kind is the default. */
export function targetSchemas(kinds: readonly TargetKindSchema[]) {
  const defaultKind = kinds[0]!.kind;
  const kindOf = (kind: string, options: Schema) =>
    kinds.length === 1
      ? Type.String({ enum: [kind], ...options, description: kindDescription })
      : Type.Literal(kind, { ...options, description: kindDescription });
  const shown = (withSecret: boolean) =>
    kinds.map((each) => ({
      targetId,
      kind: kindOf(each.kind, {}),
      ...each.shown,
      ...shownFields,
      ...(withSecret && each.signs && { secret: shownSecret }),
    }));
  const given = kinds.map((each) => {
    const isDefault = each.kind === defaultKind;
    const kind = kindOf(each.kind, isDefault ? { default: each.kind } : {});
    return {
      targetId: newTargetId,
      kind: isDefault ? Type.Optional(kind) : kind,
      ...each.given,
      ...givenFields,
      ...(each.signs && { secret: Type.Optional(signingSecret) }),
    };
  });
  const byKind = { discriminator: { propertyName: "kind" } };
  return {
    shown: (options: Schema) => joined(shown(false), options, byKind),
    shownWithSecret: (options: Schema) => joined(shown(true), options, byKind),
    /** `kind` may be left out. So it distinguishes the branches, but cannot be a discriminator. */
    given: (options: Schema) => joined(given, { ...strict, ...options }, {}),
    /** A change does not say which kind it is for, so it may have the fields of all kinds. */
    changed: (options: Schema) =>
      Type.Object(
        { ...oneMeaning(kinds.map((each) => each.changed)), ...changedFields },
        { ...strict, ...options },
      ),
  };
}

/** One object for one kind, and a union of objects for several. */
function joined(branches: readonly TProperties[], options: Schema, union: Schema): TSchema {
  const [only, ...others] = branches;
  if (only !== undefined && others.length === 0) return Type.Object(only, options);
  const { additionalProperties, ...rest } = options;
  const closed = additionalProperties === false ? strict : {};
  const oneOf = branches.map((branch) => Type.Object(branch, closed));
  return { type: "object", ...union, oneOf, ...rest };
}

function oneMeaning(kinds: readonly TProperties[]): TProperties {
  const fields: Record<string, TProperties[string]> = {};
  for (const [name, schema] of kinds.flatMap((each) => Object.entries(each))) {
    if (JSON.stringify(fields[name] ?? schema) !== JSON.stringify(schema)) {
      throw new Error(`two target kinds have different schemas for ${name}`);
    }
    fields[name] = schema;
  }
  return fields;
}
