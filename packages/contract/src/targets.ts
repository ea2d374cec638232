import type { Static, TObject, TProperties } from "typebox";
import { Attempt } from "./attempts.ts";
import { messageId, named, payload, strict, targetId } from "./fields.ts";
import { pageFields } from "./lists.ts";
import { targetKinds } from "./target-kinds/kinds.ts";
import type { changedFields, givenFields, newTargetId, shownFields } from "./target-schemas.ts";
import { signingSecret, targetSchemas } from "./target-schemas.ts";
import { Type } from "./type.ts";

type Kind = (typeof targetKinds)[number];
/** The fields of each kind: a union stays a union. */
type Fields<Properties> = Properties extends TProperties ? Static<TObject<Properties>> : never;

/** The settings of a target of any kind, as an answer shows them. */
export type ShownSettings = Fields<Kind["shown"]>;
export type ShownTarget = { targetId: string; kind: string } & ShownSettings &
  Static<TObject<typeof shownFields>>;
export type ShownTargetWithSecret = ShownTarget & { secret: string };
type GivenTarget = { kind?: Kind["kind"]; secret?: string } & Fields<Kind["given"]> &
  Static<TObject<{ targetId: typeof newTargetId } & typeof givenFields>>;
type TargetChange = Fields<Kind["changed"]> & Static<TObject<typeof changedFields>>;

const schemas = targetSchemas(targetKinds);
const [{ examples }] = targetKinds;

export const Target = Type.Unsafe<ShownTarget>(
  schemas.shown({
    $id: "Target",
    description: "Where messages are delivered, and how. Never with a secret.",
  }),
);

export const TargetWithSecret = Type.Unsafe<ShownTargetWithSecret>(
  schemas.shownWithSecret({
    $id: "TargetWithSecret",
    description: "A target with its current signing secret.",
  }),
);

export const CreateTarget = Type.Unsafe<GivenTarget>(
  schemas.given({
    $id: "CreateTarget",
    description: "A new target.",
    examples: [{ targetId: "orders", ...examples.given }],
  }),
);

export const UpdateTarget = Type.Unsafe<TargetChange>(
  schemas.changed({
    $id: "UpdateTarget",
    description:
      "The fields to change. Each given field replaces the old value completely; null restores its default. Fields that are left out stay as they are.",
    examples: [{ ...examples.changed, rateLimit: { max: 100, intervalMs: 1000 } }],
  }),
);

export const RotateSecret = Type.Object(
  {
    secret: Type.Optional(signingSecret),
    overlapMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 86_400_000,
        description:
          "How long the old secret also signs attempts; 24 hours by default. With the current `secret` it can lengthen a running overlap, never shorten it.",
      }),
    ),
  },
  {
    ...strict,
    $id: "RotateSecret",
    description: "How to rotate the secret. The body may be left out.",
  },
);

export const TestTarget = Type.Object(
  { payload: Type.Optional(payload) },
  {
    ...strict,
    $id: "TestTarget",
    description: "What to send as a test. The body may be left out.",
  },
);

export const TestResult = Type.Object(
  { targetId, messageId, attempt: named(Attempt) },
  { $id: "TestResult", description: "The attempt of a test." },
);

export const RemoveTargetQuery = Type.Object(
  {
    messages: Type.Optional(
      Type.Literal("cancel", {
        description:
          "Cancel its scheduled messages first, by a job that removes the target at its end.",
      }),
    ),
  },
  strict,
);

export const TargetPage = Type.Object(
  { items: Type.Array(named(Target)), ...pageFields },
  { $id: "TargetPage", description: "One page of targets, by `targetId`." },
);
