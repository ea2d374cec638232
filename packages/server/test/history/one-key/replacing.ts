import type { Instant } from "../../../src/domain/message.ts";
import type { ScheduleAsked } from "../history.ts";
import {
  after,
  boundFrom,
  cancelled,
  created,
  dueFrom,
  exactly,
  planned,
  settled,
} from "../one-history/possible-message.ts";
import type { Content, PossibleMessage, Span } from "../one-history/possible-message.ts";

/** The contract's rules of keys, written a second time on purpose. */

/** A new message for this time. Undefined if no attempt could start before its bound. */
export function begun(asked: ScheduleAsked, due: Span, at: Span): PossibleMessage | undefined {
  const message = created(due, at, asked.options ?? {}, contentOf(asked, due, at));
  return isTooLate(message, due, at) ? undefined : message;
}

/** A message that was never attempted, with the content of the call. */
export function rewritten(
  message: PossibleMessage,
  asked: ScheduleAsked,
  at: Span,
): PossibleMessage | undefined {
  const since = after(message, at);
  if (message.state !== "SCHEDULED" || message.isOverruled || since === undefined) return undefined;
  const { bound = null, flexWindowMs = 0 } = asked.options ?? {};
  const keepsTime = asked.wantedKey!.onConflict === "replaceKeepTime";
  const due = dueBeside(message, asked, since);
  const plan = planned(due, bound, flexWindowMs);
  const { originalDeliveryTime, schedulingTime } = message.content!;
  const content = contentOf(asked, keepsTime ? originalDeliveryTime : due, schedulingTime);
  const times = keepsTime ? { ...plan, next: message.next } : plan;
  const changed = { ...message, ...settled, ...times, flexWindowMs, content, since };
  return isTooLate(changed, due, since) ? undefined : changed;
}

/** A message that ends because another one takes over its key. */
export function displaced(message: PossibleMessage, at: Span): PossibleMessage | undefined {
  const ended = message.isOverruled ? undefined : cancelled(message, at);
  return ended && { ...ended, reason: "REPLACED" };
}

/** When a message is due that takes over the key or the place of this one. */
export function dueBeside(
  { next, content }: PossibleMessage,
  { wantedKey, dueAt }: ScheduleAsked,
  at: Span,
): Span {
  const { onConflict, maxWaitMs } = wantedKey!;
  if (onConflict === "replaceKeepTime") return next!;
  const due = dueFrom(dueAt, at);
  if (onConflict !== "debounce") return due;
  const { min, max } = content!.schedulingTime;
  return {
    min: Math.min(due.min, min + maxWaitMs!),
    max: Math.min(due.max, max + maxWaitMs!),
  };
}

/** Whether the call may have been refused because no attempt could start before its bound. */
export function mayBeRefusedAsLate(
  { options, dueAt }: ScheduleAsked,
  due: Span,
  now: Instant,
): boolean {
  const bound = options?.bound;
  if (bound === undefined) return false;
  const contradicts = "notAfter" in bound && typeof dueAt === "number" && bound.notAfter <= dueAt;
  return contradicts || boundFrom(bound, due).min <= Math.max(due.max, now);
}

function isTooLate({ notAfter }: PossibleMessage, due: Span, at: Span): boolean {
  const lastChance = notAfter?.max ?? Infinity;
  return lastChance <= due.min || lastChance <= at.min;
}

function contentOf(asked: ScheduleAsked, original: Span, schedulingTime: Span): Content {
  const { bound: _, ...options } = asked.options ?? {};
  return {
    payload: asked.payload,
    options: { key: asked.wantedKey!.key, ...options },
    retryPolicy: options.retryPolicy ?? null,
    originalDeliveryTime: original,
    schedulingTime,
  };
}

/** The whole span, or the instant in it that somebody was shown. */
export function spanWith(span: Span, shown: Instant | undefined): Span | undefined {
  if (shown === undefined) return span;
  return span.min <= shown && shown <= span.max ? exactly(shown) : undefined;
}
