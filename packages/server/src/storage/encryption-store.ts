import type { AuditNote } from "../domain/audit.ts";
import type { KeyRotation, SealedPlace } from "../domain/key-rotation.ts";

/** Keys are named by their ids. No key itself ever reaches a store. */
export interface EncryptionStore {
  /** A value sealed with the encryption key; null if none was stored yet. */
  encryptionCheck(): Promise<string | null>;
  /** Stores the value unless there is one already. Answers with the stored one. */
  keepEncryptionCheck(sealed: string): Promise<string>;
  /**
   * Says that this node seals with a key from now on. Only after this does a value of the key reach the store. Nothing
   * is stored if the node lacks a key that values need, or another living node could not read what this one seals.
   */
  useEncryptionKey(use: KeyInUse): Promise<KeyUse>;
  encryptionState(): Promise<EncryptionState>;
  /** Some of the sealed values at a place, in the order of its rows. Takes a few milliseconds. */
  readSealed(place: SealedPlace, after: string | null): Promise<SealedSlice>;
  /** One commit, made only while the exchange is at this revision. */
  advanceRotation(step: RotationStep): Promise<RotationStepMade>;
}

export interface KeyInUse {
  readonly nodeId: string;
  /** The key that the node seals with. */
  readonly keyId: string;
  /** All keys that it can open values of. */
  readonly readable: readonly string[];
  /** The key of values without an id. It counts as in use if the store knows of no key yet; null: there are none. */
  readonly firstKeyId: string | null;
}

export type KeyUse =
  | { readonly kind: "used" }
  /** Values need these keys. */
  | { readonly kind: "missing-keys"; readonly keyIds: readonly string[] }
  /** These nodes could not read what is sealed with the new key. */
  | { readonly kind: "unread-by"; readonly nodeIds: readonly string[] };

export interface EncryptionState {
  /** The keys that values may be sealed with. */
  readonly keyIds: readonly string[];
  /** The nodes that are alive or have just started. */
  readonly nodes: readonly SealingNode[];
  /** The latest exchange of the key, also if it has ended. */
  readonly rotation: KeyRotation | null;
  /** 0: there has been no exchange. */
  readonly revision: number;
}

export interface SealingNode {
  readonly nodeId: string;
  /** The key that it seals with; null: its version does not say. */
  readonly keyId: string | null;
}

export interface SealedValue {
  /** Its row. */
  readonly at: string;
  readonly sealed: string;
}

export interface SealedSlice {
  readonly values: readonly SealedValue[];
  /** The next slice begins after this row; null: this was the last one. */
  readonly reached: string | null;
}

export interface RotationStep {
  readonly revision: number;
  readonly rotation: KeyRotation;
  /** Values that are to be sealed anew. One that has changed meanwhile, or that another call holds, stays. */
  readonly rewrite: {
    readonly place: SealedPlace;
    readonly values: readonly (SealedValue & { readonly anew: string })[];
  } | null;
  /** From now on no key but that of the exchange is in use; `check` is the new check value. */
  readonly retire: { readonly check: string } | null;
  readonly note: AuditNote | null;
}

export type RotationStepMade =
  | { readonly kind: "advanced"; readonly rewritten: number }
  /** Another node has advanced it. */
  | { readonly kind: "changed" }
  /** These nodes seal with another key, so that none can be retired. Nothing was stored. */
  | { readonly kind: "in-use"; readonly nodeIds: readonly string[] };

/** How long a node counts as there that has started and not joined yet. */
export const startingNodeMs = 60_000;
