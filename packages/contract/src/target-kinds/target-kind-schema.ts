import type { Static, TProperties, TSchema } from "typebox";
import { Type } from "../type.ts";

/**
 * What one kind of target adds to the wire. A field that two kinds have means the same in both: a change
 * does not say which kind it is for, so both share one schema.
 */
export interface TargetKindSchema {
  readonly kind: string;
  /** Whether its targets have a signing secret. */
  readonly signs: boolean;
  /** The outcomes of failed attempts. */
  readonly failures: readonly string[];
  /** Its settings in an answer. */
  readonly shown: TProperties;
  /** Its settings in a new target. */
  readonly given: TProperties;
  /** Its settings in a change: each may be left out. */
  readonly changed: TProperties;
  readonly examples: {
    readonly given: Readonly<Record<string, unknown>>;
    readonly changed: Readonly<Record<string, unknown>>;
  };
}

/** A field of a change: the same schema, or null for the default. */
export function orNull<Schema extends TSchema>(schema: Schema) {
  const type = "type" in schema ? [schema.type, "null"] : undefined;
  return Type.Optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type }));
}
