import type { Instant } from "./instant.ts";
import type { MessageOptions } from "./message-options.ts";
import { isOutrun, withDeliveryTime } from "./message-options.ts";
import type { TrackedMessage } from "./message.ts";
import { replaced, replacedInPlace } from "./transitions.ts";

export const conflictModes = ["reject", "keep", "replace", "replaceKeepTime", "debounce"] as const;

export type ConflictMode = (typeof conflictModes)[number];

/** A key is unique among the scheduled messages of a target. This says what happens if it is taken. */
export interface WantedKey {
  readonly key: string;
  readonly onConflict: ConflictMode;
  /** Only for `debounce`: the latest that a message is due, after it was first scheduled. */
  readonly maxWaitMs: number | null;
}

/** Whether it may change the message that holds the key. Without a key there is none. */
export function changesHolder(wanted: WantedKey | undefined): boolean {
  return wanted?.onConflict !== "keep" && wanted?.onConflict !== "reject";
}

/** What became of the key. */
export type KeyOutcome = "created" | "kept" | "replaced" | "debounced";

/** A message that is to be scheduled under a key that a scheduled message holds. */
export interface Newcomer {
  readonly wanted: WantedKey;
  /** For `debounce`: after the quiet time. */
  readonly deliveryTime: Instant;
  /** With the key among them. */
  readonly options: MessageOptions;
}

export type KeyDecision =
  | { readonly kind: "key-taken" }
  | { readonly kind: "kept" }
  /** An attempt at the holder is in flight, and its outcome decides. */
  | { readonly kind: "held" }
  | { readonly kind: "too-late" }
  /** The holder gets the new content, and keeps its id: no receiver has seen it. */
  | { readonly kind: "in-place"; readonly holder: TrackedMessage }
  /**
   * A new message for this time takes the key, and the holder ends. A receiver may have seen the holder's id,
   * and may take another content under the same id for a repetition.
   */
  | { readonly kind: "anew"; readonly deliveryTime: Instant; readonly holder: TrackedMessage };

/** What happens to the holder of a key when a newcomer wants it. */
export function meetHolder(
  { wanted, deliveryTime, options }: Newcomer,
  holder: TrackedMessage,
  { isHeld, now, retentionMs }: { isHeld: boolean; now: Instant; retentionMs: number },
): KeyDecision {
  if (wanted.onConflict === "reject") return { kind: "key-taken" };
  if (wanted.onConflict === "keep") return { kind: "kept" };
  if (isHeld) return { kind: "held" };
  const time = timeFor(wanted, deliveryTime, holder);
  if (isOutrun(withDeliveryTime(options, time), time, now)) return { kind: "too-late" };
  if (holder.attemptCount > 0) {
    return { kind: "anew", deliveryTime: time, holder: replaced(holder, now, retentionMs) };
  }
  const keepsTime = wanted.onConflict === "replaceKeepTime";
  const changed = replacedInPlace(holder, { deliveryTime: time, options, keepsTime }, now);
  return { kind: "in-place", holder: changed };
}

function timeFor(
  { onConflict, maxWaitMs }: WantedKey,
  deliveryTime: Instant,
  { schedulingTime, nextDeliveryTime }: TrackedMessage,
): Instant {
  if (onConflict === "replaceKeepTime") return nextDeliveryTime!;
  if (onConflict !== "debounce") return deliveryTime;
  return Math.min(deliveryTime, schedulingTime + maxWaitMs!);
}

/** The outcome for a message that was stored, by whether somebody held the key. */
export function outcomeOf({ onConflict }: WantedKey, hadHolder: boolean): KeyOutcome {
  if (!hadHolder) return "created";
  return onConflict === "debounce" ? "debounced" : "replaced";
}
