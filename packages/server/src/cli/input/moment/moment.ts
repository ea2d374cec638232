import { parseDuration } from "../../../config/durations.ts";
import { InvalidValue } from "../../../config/invalid-value.ts";
import { earliestTime, formatTime, latestTime, parseTime } from "../../../domain/times.ts";
import { compactDuration, isCompact } from "./duration-words.ts";
import { isDayAlone, readWallTime, type WallTimeWords } from "./calendar-words.ts";
import { clockChangeText } from "./moment-text.ts";
import { readClock, wallTimeAt } from "../../../domain/time-zones/wall-time.ts";
import type { WallTime } from "../../../domain/time-zones/wall-time.ts";
import type { Zone } from "../../../domain/time-zones/time-zone.ts";

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
  /** The user named a time of day alone, and it is on the day after today, or after the day of `after`. */
  readonly isNextDay: boolean;
  /** What was chosen because clocks change then; null if they do not. */
  readonly choice: string | null;
}

export interface MomentContext {
  readonly now: number;
  readonly direction: Direction;
  /** A time of day or a weekday, ahead, is the first one after this; after now if it is left out. */
  readonly after?: number;
  /** The zone of times without an offset. It is asked only for those. */
  readonly zone: () => Zone;
}

const plain = { choice: null, isNextDay: false };

const examples =
  '2027-01-01T09:00:00Z, "2027-01-01 9:00", "tomorrow 9:00", "friday noon", 17:30, 1h, "in 2 hours", +1d, "2h ago" or now';

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
  return { time: parsed.time, text, isWrittenOut: true, fromNowMs: null, ...plain };
}

function onTheClocks(words: WallTimeWords, text: string, context: MomentContext): Moment {
  const { now, direction, after = now } = context;
  const zone = context.zone();
  const nearNow = words.near(wallTimeAt(now, zone));
  const namesDate = nearNow.length === 1;
  const wallTimes = namesDate ? nearNow : words.near(wallTimeAt(after, zone));
  const readings = wallTimes.map((wallTime) => ({ wallTime, ...readClock(wallTime, zone) }));
  const nearest =
    direction === "ahead"
      ? readings.find(({ time }) => time > after)
      : readings.findLast(({ time }) => time <= now);
  // Words that name a date mean that date, on either side of now.
  const { wallTime, ...reading } = nearest ?? readings[0]!;
  const isNextDay = words.isTimeAlone && dayOf(wallTime) > dayOf(wallTimeAt(after, zone));
  const choice = clockChangeText(wallTime, reading, zone);
  return { ...within(reading.time, text), choice, isNextDay };
}

function readDistance(written: string, text: string, { direction }: MomentContext): number {
  const [, before, sign, words = "", after] =
    /^(in )?([+-])?((?:\d|an? ).*?)( ago)?$/.exec(written) ?? [];
  const duration = compactDuration(words);
  const hints = [before, sign, after].filter(Boolean).length;
  if (!isCompact(duration) || hints > 1) throw new InvalidValue(notATime(text, written, direction));
  const isBack = hints === 0 ? direction === "back" : sign === "-" || after !== undefined;
  return (isBack ? -1 : 1) * parseDuration(duration);
}

/** What is wrong with the text, and how to write it. */
function notATime(text: string, written: string, direction: Direction): string {
  if (isDayAlone(written)) {
    if (direction === "back") {
      return `has no time of day: "${text}"; write "${written} 0:00" for its beginning, or 1d for the last 24 hours`;
    }
    return `has no time of day: "${text}"; write it like "${written} 9:00" or "${written} noon"`;
  }
  if (/^[\d.]+$/.test(written)) {
    return `is only a number: "${text}"; write a time like 9:00 or "tomorrow 9:00", or a duration like 9h`;
  }
  const [, rest] = /^(?:next|this) (.+)$/.exec(written) ?? [];
  if (rest !== undefined && readWallTime(rest) !== undefined) {
    return `is not clear: "${text}"; write "${rest}" for the first one from now, or a date like "2027-01-01 9:00"`;
  }
  return `is not a time: "${text}"; write it like ${examples}`;
}

function relativeMoment(fromNowMs: number, text: string, { now }: MomentContext): Moment {
  return { ...within(now + fromNowMs, text), fromNowMs };
}

function within(time: number, text: string): Moment {
  if (time < earliestTime || time > latestTime) {
    throw new InvalidValue(`leads beyond the years 0001 to 9999: "${text}"`);
  }
  return { time, text: formatTime(time), isWrittenOut: false, fromNowMs: null, ...plain };
}

function dayOf(wallTime: WallTime): string {
  return formatTime(wallTime).slice(0, 10);
}
