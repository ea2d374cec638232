import { hashOf } from "./hash.ts";
import type { Instant } from "./instant.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import { latestTime } from "./times.ts";

export type Labels = Readonly<Record<string, string>>;

/** Headers of one message. Their values may be credentials: only the names are readable. */
export interface SealedHeaders {
  readonly names: readonly string[];
  readonly sealed: string;
}

/**
 * What a caller has set for one message besides its target, time and payload. Stores keep it as JSON, in one
 * column that is null for a plain message. A new option is a new field that older rows do not have.
 */
export interface MessageOptions {
  /** Unique among the scheduled messages of the target. */
  readonly key?: string;
  readonly labels?: Labels;
  /** Instead of the target's policy. */
  readonly retryPolicy?: RetryPolicy;
  /** No attempt starts at or after this instant. */
  readonly notAfter?: Instant;
  /** The caller gave `notAfter` as a time after the delivery time. It moves with the delivery time. */
  readonly notAfterMs?: number;
  readonly flexWindowMs?: number;
  /** Instead of the target's. */
  readonly contentType?: string;
  readonly timeoutMs?: number;
  /** Besides the target's, and instead of those with the same names. */
  readonly headers?: SealedHeaders;
  /** The recurring schedule that made the message, and for when. No caller gives it. */
  readonly schedule?: MadeBySchedule;
  /** Where the call that scheduled the message stands in a trace. Only attempts use it, and no answer shows it. */
  readonly traceParent?: string;
}

export interface MadeBySchedule {
  readonly scheduleId: string;
  readonly runTime: Instant;
}

/** How many labels a message may have. */
export const mostLabels = 8;

export function isLabelName(text: string): boolean {
  return /^[a-z0-9._-]{1,40}$/.test(text);
}

/** 1 to 100 characters, none of them a control character. */
export function isLabelValue(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /^[^\u0000-\u001f\u007f]{1,100}$/u.test(text);
}

/** The labels as stores index them. A name has no colon, so two never look the same. */
export function labelTexts(options: MessageOptions | null): string[] {
  const texts: string[] = [];
  const labels = options?.labels;
  if (labels !== undefined) for (const name in labels) texts.push(`${name}:${labels[name]!}`);
  return texts;
}

/**
 * What a message can be searched by: its labels, its key as one without a name, and its schedule as one whose name
 * no label can have.
 */
export function searchTexts(options: MessageOptions | null): string[] {
  const texts = labelTexts(options);
  if (options?.key !== undefined) texts.push(keyText(options.key));
  if (options?.schedule !== undefined) texts.push(scheduleText(options.schedule.scheduleId));
  return texts;
}

export function keyText(key: string): string {
  return `:${key}`;
}

export function isKeyText(text: string): boolean {
  return text.startsWith(":");
}

export function scheduleText(scheduleId: string): string {
  return `@${scheduleId}`;
}

export function isScheduleText(text: string): boolean {
  return text.startsWith("@");
}

/** The schedule that is named among these texts. */
export function scheduleIdIn(texts: readonly string[]): string | undefined {
  return texts.find(isScheduleText)?.slice(1);
}

/** A bound for attempts, as a caller gives it. */
export type GivenBound = { readonly notAfter: Instant } | { readonly notAfterMs: number };

/** The options of a message that is now to be delivered at this time. */
export function withDeliveryTime(options: MessageOptions, deliveryTime: Instant): MessageOptions {
  const { notAfterMs } = options;
  if (notAfterMs === undefined) return options;
  return { ...options, notAfter: Math.min(deliveryTime + notAfterMs, latestTime) };
}

/** The options with another bound, or without one. Null: no option is left. */
export function withBound(
  options: MessageOptions | null,
  bound: GivenBound | null,
): MessageOptions | null {
  const { notAfter: _, notAfterMs: __, ...others } = options ?? {};
  const changed = { ...others, ...bound };
  return Object.keys(changed).length === 0 ? null : changed;
}

/** The options of a message that moves by this much. A bound of its own stays where it is. */
export function withShiftedBound(options: MessageOptions, byMs: number): MessageOptions {
  const { notAfter, notAfterMs } = options;
  if (notAfter === undefined || notAfterMs === undefined) return options;
  return { ...options, notAfter: Math.min(notAfter + byMs, latestTime) };
}

/** Whether no attempt could start: the bound is over, or comes before the delivery time. */
export function isOutrun(
  options: MessageOptions | null,
  deliveryTime: Instant,
  now: Instant,
): boolean {
  const notAfter = options?.notAfter;
  return notAfter !== undefined && notAfter <= Math.max(deliveryTime, now);
}

/**
 * When a message for this time is due. Messages with a window are spread over it by their ids, so the same
 * message always gets the same place in it. The window ends before the bound does, and with the last time
 * that can be written.
 */
export function dueTime(
  messageId: string,
  options: MessageOptions | null,
  deliveryTime: Instant,
): Instant {
  if (options?.flexWindowMs === undefined) return deliveryTime;
  const { flexWindowMs, notAfter = latestTime + 1 } = options;
  const windowMs = Math.min(flexWindowMs, notAfter - deliveryTime - 1);
  return windowMs <= 0 ? deliveryTime : deliveryTime + (hashOf(messageId) % (windowMs + 1));
}
