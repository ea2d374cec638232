import { parseDuration } from "../../../config/durations.ts";
import { InvalidValue } from "../../../config/invalid-value.ts";
import { earliestTime, formatTime, latestTime, parseTime } from "../../../domain/times.ts";
import { readWallTime, type WallTimeWords } from "./calendar-words.ts";
import { clockChangeText } from "./moment-text.ts";
import { readClock, wallTimeAt } from "./wall-time.ts";
import type { Zone } from "./zone.ts";

/** Whether a time that names no direction, such as a duration, lies in the past or in the future. */
export type Direction = "back" | "ahead";

export interface Moment {
  readonly time: number;
  /** The time as the service expects it. */
  readonly text: string;
  /** The user wrote the whole instant, and need not be told how it was understood. */
  readonly isWrittenOut: boolean;
  /** How far from now the user said, negative for the past; null if the user named a time. */
  readonly fromNowMs: number | null;
  /** What was chosen because clocks change then; null if they do not. */
  readonly choice: string | null;
}

export interface MomentContext {
  readonly now: number;
  readonly direction: Direction;
  /** The zone of times without an offset. It is asked only for those. */
  readonly zone: () => Zone;
}

const examples =
  '2027-01-01T09:00:00Z, "2027-01-01 9:00", "tomorrow 9:00", "friday 17:30", 17:30, 1h, +1d, "2h ago" or now';

/**
 * Reads a full time (RFC 3339), a time on the clocks of the zone, or one relative to now. Throws
 * `InvalidValue`.
 */
export function parseMoment(text: string, context: MomentContext): Moment {
  const written = text.trim().toLowerCase().replaceAll(/\s+/g, " ");
  if (hasOffset(written)) return writtenOut(text.trim());
  if (written === "now") return relativeMoment(0, text, context);
  const words = readWallTime(written);
  if (words !== undefined) return onTheClocks(words, text, context);
  return relativeMoment(readDistance(written, text, context), text, context);
}

/** Also one that is not quite right: the rules of RFC 3339 then say what is wrong with it. */
function hasOffset(written: string): boolean {
  return /^\d{4}-\d{2}-\d{2}[t ].*(?:z|[+-]\d[\d:]*)$/.test(written);
}

function writtenOut(text: string): Moment {
  const parsed = parseTime(text);
  if (!parsed.ok) throw new InvalidValue(`is not a time: ${parsed.reason}`);
  return { time: parsed.time, text, isWrittenOut: true, fromNowMs: null, choice: null };
}

function onTheClocks(words: WallTimeWords, text: string, context: MomentContext): Moment {
  const { now, direction } = context;
  const zone = context.zone();
  const readings = words
    .near(wallTimeAt(now, zone))
    .map((wallTime) => ({ wallTime, ...readClock(wallTime, zone) }));
  const nearest =
    direction === "ahead"
      ? readings.find(({ time }) => time > now)
      : readings.findLast(({ time }) => time <= now);
  // Words that name a date mean that date, on either side of now.
  const { wallTime, ...reading } = nearest ?? readings[0]!;
  return { ...within(reading.time, text), choice: clockChangeText(wallTime, reading, zone) };
}

function readDistance(written: string, text: string, { direction }: MomentContext): number {
  const [, before, sign, duration, after] =
    /^(in )?([+-]?)(\d[\d.a-z]*)( ago)?$/.exec(written) ?? [];
  const hints = [before, sign, after].filter(Boolean).length;
  if (duration === undefined || hints > 1) throw new InvalidValue(notATime(text, written));
  const isBack = hints === 0 ? direction === "back" : sign === "-" || after !== undefined;
  return (isBack ? -1 : 1) * parseDuration(duration);
}

function notATime(text: string, written: string): string {
  const dateAlone = /^(?:\d{4}-\d{2}-\d{2}|today|tomorrow|yesterday|\w+day)$/;
  const reason = dateAlone.test(written)
    ? `has no time of day: "${text}"`
    : `is not a time: "${text}"`;
  return `${reason}; write it like ${examples}`;
}

function relativeMoment(fromNowMs: number, text: string, { now }: MomentContext): Moment {
  return { ...within(now + fromNowMs, text), fromNowMs };
}

function within(time: number, text: string): Moment {
  if (time < earliestTime || time > latestTime) {
    throw new InvalidValue(`leads beyond the years 0001 to 9999: "${text}"`);
  }
  return { time, text: formatTime(time), isWrittenOut: false, fromNowMs: null, choice: null };
}
