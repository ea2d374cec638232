import type { MessageOptions } from "../types/messages.ts";

/** A span of time: milliseconds, or units that add up. */
export type Delay =
  | number
  | {
      readonly days?: number;
      readonly hours?: number;
      readonly minutes?: number;
      readonly seconds?: number;
      readonly milliseconds?: number;
    };

interface NoTime {
  readonly at?: never;
  readonly in?: never;
  readonly deliveryTime?: never;
  readonly delayMs?: never;
}

/** When to deliver: exactly one of these. A time in the past means now. */
export type When =
  /** A moment: a `Date`, or RFC 3339 with an offset. */
  | (Omit<NoTime, "at"> & { readonly at: Date | string })
  /** So long from now, by the clock of the service. */
  | (Omit<NoTime, "in"> & { readonly in: Delay })
  /** As it travels: RFC 3339 with an offset. */
  | (Omit<NoTime, "deliveryTime"> & { readonly deliveryTime: string })
  /** As it travels: whole milliseconds from now, by the clock of the service. */
  | (Omit<NoTime, "delayMs"> & { readonly delayMs: number });

/** What to deliver: a text as it is, or a value as JSON. */
export type Content =
  | { readonly payload: string; readonly json?: never }
  | { readonly json: unknown; readonly payload?: never };

type SharedOptions = Omit<MessageOptions, "notAfter" | "debounce"> & {
  /** No attempt starts at or after it. */
  readonly notAfter?: Date | string;
};

/** The debounce of a key sets the time by itself. */
type WhenOrDebounce =
  | (When & { readonly debounce?: never })
  | (NoTime &
      Required<Pick<MessageOptions, "key" | "debounce">> & { readonly onConflict: "debounce" });

/** When to deliver a message instead. It keeps its `notAfter`, unless another is given, or null for none. */
export type NewTime = When & {
  readonly notAfter?: Date | string | null;
  readonly notAfterMs?: number | null;
};

/** A message to schedule. */
export type MessageInput = {
  readonly targetId: string;
  /**
   * 1 to 255 visible ASCII characters. Two messages with the same key and content are scheduled once, also in two
   * runs.
   */
  readonly idempotencyKey?: string | undefined;
} & SharedOptions &
  WhenOrDebounce &
  Content;
