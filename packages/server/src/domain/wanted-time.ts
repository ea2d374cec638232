import type { Instant } from "./message.ts";

/** Counted by the store's clock, from the call's arrival there. */
export interface Delay {
  readonly delayMs: number;
}

/** When a caller wants a message delivered. An instant stays a plain number: nearly all are. */
export type WantedTime = Instant | Delay;

export function instantOf(wanted: WantedTime, now: Instant): Instant;
export function instantOf(wanted: WantedTime | null, now: Instant): Instant | null;
export function instantOf(wanted: WantedTime | null, now: Instant): Instant | null {
  return typeof wanted === "number" || wanted === null ? wanted : now + wanted.delayMs;
}
