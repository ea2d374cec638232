import { parseDuration } from "../../config/durations.ts";
import { InvalidValue } from "../../config/invalid-value.ts";
import { earliestTime, formatTime, latestTime, parseTime } from "../../domain/times.ts";

/** Whether a duration without a sign leads into the past or into the future. */
export type Direction = "back" | "ahead";

export interface Moment {
  readonly time: number;
  /** The time as the service expects it. */
  readonly text: string;
  /** The time was given relative to now, so the user has not seen it in full. */
  readonly isRelative: boolean;
}

const examples = '2027-01-01T09:00:00Z, 1h, -1h, +1d, "2h ago" or now';

/** Reads a full time (RFC 3339), or one relative to now. Throws `InvalidValue`. */
export function parseMoment(text: string, now: number, direction: Direction): Moment {
  const written = text.trim().toLowerCase();
  if (/^\d{4}-/.test(written)) return parseWrittenOut(text.trim());
  if (written === "now") return momentAt(now);
  const [, before, sign, duration, after] =
    /^(in\s+)?([+-]?)(\d[\d.a-z]*)(\s+ago)?$/.exec(written) ?? [];
  const hints = [before, sign, after].filter(Boolean).length;
  if (duration === undefined || hints > 1) {
    throw new InvalidValue(`is not a time: "${text}"; write it like ${examples}`);
  }
  const isBack = hints === 0 ? direction === "back" : sign === "-" || after !== undefined;
  const time = now + (isBack ? -1 : 1) * parseDuration(duration);
  if (time < earliestTime || time > latestTime) {
    throw new InvalidValue(`leads beyond the years 0001 to 9999: "${text}"`);
  }
  return momentAt(time);
}

function parseWrittenOut(text: string): Moment {
  const parsed = parseTime(text);
  if (!parsed.ok) throw new InvalidValue(`is not a time: ${parsed.reason}`);
  return { time: parsed.time, text, isRelative: false };
}

function momentAt(time: number): Moment {
  return { time, text: formatTime(time), isRelative: true };
}
