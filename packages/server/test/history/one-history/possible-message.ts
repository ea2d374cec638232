import { isDeepStrictEqual } from "node:util";
import type { EndReason } from "../../../src/domain/end-reason.ts";
import type { Instant, Message, MessageState } from "../../../src/domain/message.ts";
import type { RetryPolicy } from "../../../src/domain/retry-policy.ts";
import type { AskedBound, AskedOptions, Due } from "../history.ts";
import type { Step } from "./search.ts";

/** An instant of the store's clock, known only to lie between two others. */
export interface Span {
  readonly min: Instant;
  readonly max: Instant;
}

export type MessageStep = Step<PossibleMessage>;

/** What another call for the same key can replace. */
export interface Content {
  readonly payload: string;
  /** As answers show them, without its bound. */
  readonly options: Message["options"];
  /** Its own, not its target's. */
  readonly retryPolicy: RetryPolicy | null;
  readonly originalDeliveryTime: Span;
  /** When the message was first scheduled. It stays the same. */
  readonly schedulingTime: Span;
}

/**
 * A state that a message may have at one point of its history. The state machine is the contract's table,
 * written a second time on purpose: the judge must not share code with the service. Each answer narrows
 * what is unknown.
 */
export interface PossibleMessage {
  readonly state: MessageState;
  readonly failures: number;
  /** Attempts since it was last scheduled or rescheduled. */
  readonly round: number;
  /** Null in all states but SCHEDULED. */
  readonly next: Span | null;
  /** When the last attempt on record began. */
  readonly last: Span | null;
  /** When the store changed it to this state. */
  readonly since: Span;
  /** Why it ended. Null if it has not, if its state says it, or if that is not known. */
  readonly reason: EndReason | null;
  /** From when on no attempt starts. Null if there is no such time. */
  readonly notAfter: Span | null;
  /** How long after the delivery time that is. Null if it does not move with the delivery time. */
  readonly notAfterMs: number | null;
  readonly flexWindowMs: number;
  /** An attempt has failed while a change waited for it. The change takes effect next. */
  readonly isOverruled: boolean;
  /** When the latest call was asked whose caller was told its effect on the message. */
  readonly decidedFrom: Instant;
  /** The state before the change, if the change may be undone. */
  readonly before: PossibleMessage | null;
  /** Null for a message without a key, whose content never changes. */
  readonly content: Content | null;
}

export function created(
  due: Span,
  since: Span,
  { bound = null, flexWindowMs = 0 }: Omit<AskedOptions, "bound"> & { bound?: AskedBound | null },
  content: Content | null = null,
): PossibleMessage {
  return {
    ...planned(due, bound, flexWindowMs),
    flexWindowMs,
    state: "SCHEDULED",
    failures: 0,
    round: 0,
    reason: null,
    last: null,
    since,
    isOverruled: false,
    decidedFrom: -Infinity,
    before: null,
    content,
  };
}

/** What follows from a delivery time: the bound, and the window in which the message is due. */
export function planned(due: Span, bound: AskedBound | null, flexWindowMs: number) {
  const notAfterMs = bound !== null && "notAfterMs" in bound ? bound.notAfterMs : null;
  const notAfter = bound === null ? null : boundFrom(bound, due);
  const windowEnd = Math.min(due.max + flexWindowMs, (notAfter?.max ?? Infinity) - 1);
  return { next: { min: due.min, max: Math.max(due.max, windowEnd) }, notAfter, notAfterMs };
}

export function boundFrom(bound: AskedBound, due: Span): Span {
  if ("notAfter" in bound) return exactly(bound.notAfter);
  return { min: due.min + bound.notAfterMs, max: due.max + bound.notAfterMs };
}

function boundOf({ notAfter, notAfterMs }: PossibleMessage): AskedBound | null {
  if (notAfterMs !== null) return { notAfterMs };
  return notAfter && { notAfter: notAfter.min };
}

export const settled = { isOverruled: false, before: null, reason: null };

export function cancelled(message: PossibleMessage, at: Span): PossibleMessage | undefined {
  if (message.state !== "SCHEDULED") return undefined;
  const since = after(message, at);
  return since && { ...message, ...settled, state: "CANCELLED", next: null, since };
}

export function rescheduled(
  message: PossibleMessage,
  due: Span,
  at: Span,
  bound: AskedBound | null = boundOf(message),
): PossibleMessage | undefined {
  if (message.state === "DELIVERED") return undefined;
  const plan = planned(due, bound, message.flexWindowMs);
  const since = after(message, at);
  if (since === undefined) return undefined;
  const lastChance = plan.notAfter?.max ?? Infinity;
  if (lastChance <= due.min || lastChance <= since.min) return undefined;
  return { ...message, ...settled, ...plan, state: "SCHEDULED", round: 0, since };
}

/** Whether a reschedule may have been refused because no attempt could start any more. */
export function mayBeTooLate(
  message: PossibleMessage,
  due: Span,
  at: Span,
  bound: AskedBound | null = boundOf(message),
): boolean {
  if (message.state === "DELIVERED" || bound === null) return false;
  return boundFrom(bound, due).min <= Math.max(due.max, at.max);
}

/** The message once its `notAfter` has come. */
export function outrun(message: PossibleMessage): PossibleMessage | undefined {
  const { state, notAfter, isOverruled } = message;
  if (state !== "SCHEDULED" || notAfter === null || isOverruled) return undefined;
  const since = { min: Math.max(message.since.min, notAfter.min), max: Infinity };
  return { ...message, ...settled, state: "DEAD_LETTER", reason: "NOT_AFTER", next: null, since };
}

/** A change comes after the one it builds on. */
export function after({ since }: PossibleMessage, at: Span): Span | undefined {
  const min = Math.max(since.min, at.min);
  return min <= at.max ? { min, max: at.max } : undefined;
}

export function exactly(at: Instant): Span {
  return { min: at, max: at };
}

/** A delay counts from some instant of the span. */
export function dueFrom(due: Due, { min, max }: Span): Span {
  return typeof due === "number"
    ? exactly(due)
    : { min: min + due.delayMs, max: max + due.delayMs };
}

function within(span: Span, at: Instant): boolean {
  return span.min <= at && at <= span.max;
}

function isShown(span: Span | null, at: Instant | null): boolean {
  return span === null || at === null ? span === at : within(span, at);
}

/** The message with what the answer adds, if the answer fits it. The same object if it adds nothing. */
export function narrowedBy(
  message: PossibleMessage,
  shown: Message,
  retentionMs: number | null,
): PossibleMessage | undefined {
  const bounded = withBoundShown(message, shown);
  const possible = bounded && withContentShown(bounded, shown);
  if (possible === undefined) return undefined;
  const { state, next, since } = possible;
  const same =
    !possible.isOverruled &&
    shown.state === state &&
    shown.deliveryFailureCount === possible.failures &&
    isShown(possible.last, shown.lastDeliveryTime) &&
    (shown.nextDeliveryTime === null) === (state !== "SCHEDULED") &&
    (shown.deadLetterTime === null) === (state !== "DEAD_LETTER") &&
    isReason(possible, shown) &&
    (shown.cancellationTime === null) === (state !== "CANCELLED") &&
    (shown.expirationTime === null) === (state === "SCHEDULED");
  if (!same) return undefined;
  if (next !== null) {
    const at = shown.nextDeliveryTime!;
    if (!within(next, at)) return undefined;
    return next.min === next.max ? possible : { ...possible, next: exactly(at) };
  }
  const ended = shown.deadLetterTime ?? shown.cancellationTime;
  const expires = shown.expirationTime!;
  const at = ended ?? (retentionMs === null ? null : expires - retentionMs);
  if (at === null) return expires >= since.min ? possible : undefined;
  if (!within(since, at) || expires < at) return undefined;
  if (retentionMs !== null && expires !== at + retentionMs) return undefined;
  return since.min === since.max ? possible : { ...possible, since: exactly(at) };
}

function withBoundShown(
  possible: PossibleMessage,
  { options }: Message,
): PossibleMessage | undefined {
  const { notAfter, notAfterMs } = possible;
  const shown = options?.notAfter ?? null;
  if ((options?.notAfterMs ?? null) !== notAfterMs || !isShown(notAfter, shown)) return undefined;
  if (notAfter === null || notAfter.min === notAfter.max) return possible;
  return { ...possible, notAfter: exactly(shown!) };
}

function withContentShown(possible: PossibleMessage, shown: Message): PossibleMessage | undefined {
  const { content } = possible;
  if (content === null) return possible;
  const { originalDeliveryTime: original, schedulingTime: scheduled } = content;
  const { notAfter: _, notAfterMs: __, ...options } = shown.options ?? {};
  const isSame =
    within(original, shown.originalDeliveryTime) &&
    within(scheduled, shown.schedulingTime) &&
    isDeepStrictEqual(options, content.options);
  if (!isSame) return undefined;
  if (original.min === original.max && scheduled.min === scheduled.max) return possible;
  const known = {
    originalDeliveryTime: exactly(shown.originalDeliveryTime),
    schedulingTime: exactly(shown.schedulingTime),
  };
  return { ...possible, content: { ...content, ...known } };
}

function isReason({ state, reason }: PossibleMessage, { endReason }: Message): boolean {
  if (state !== "DEAD_LETTER") return endReason === reason;
  return endReason !== null && (reason === null || reason === endReason);
}

/** The message, ended early enough to be removed by this instant, if that is possible. */
export function removedBy(
  possible: PossibleMessage,
  at: Instant,
  retentionMs: number | null,
): PossibleMessage | undefined {
  if (possible.state === "SCHEDULED") return undefined;
  const { min, max } = possible.since;
  const latest = at - (retentionMs ?? 0);
  if (min > latest) return undefined;
  return max <= latest ? possible : { ...possible, since: { min, max: latest } };
}

/** Whether it must have been removed before this instant. */
export function isOverBy(
  { state, since }: PossibleMessage,
  at: Instant,
  retentionMs: number | null,
): boolean {
  return state !== "SCHEDULED" && retentionMs !== null && since.max + retentionMs < at;
}

/** Two messages with the same name have the same future. */
export function nameOf(message: PossibleMessage): string {
  const { state, failures, round, next, last, since, isOverruled, before, notAfter, reason } =
    message;
  const { payload, originalDeliveryTime: original } = message.content ?? {};
  return `${state} ${failures} ${round} ${next?.min} ${next?.max} ${last?.min} ${since.min} ${since.max} ${isOverruled} ${before !== null} ${notAfter?.min} ${notAfter?.max} ${reason} ${payload} ${original?.min}`;
}
