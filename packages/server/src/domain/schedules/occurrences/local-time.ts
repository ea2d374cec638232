import { dayMs } from "../../calendar.ts";
import { parseTime } from "../../times.ts";
import type { WallTime } from "../../time-zones/wall-time.ts";

export type ParsedLocalTime =
  | { readonly ok: true; readonly wallTime: WallTime }
  | { readonly ok: false; readonly reason: string };

export type ParsedException =
  | ParsedLocalTime
  /** Days since 1970-01-01. */
  | { readonly ok: true; readonly day: number };

const shape = "2026-11-14T09:30 or 2026-11-14T09:30:00, without an offset";
const dateAlone = /^\d{4}-\d{2}-\d{2}$/;
const localTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?<seconds>:\d{2}(?:\.\d+)?)?$/i;

/** Reads a date and time on the clocks of some zone. */
export function parseLocalTime(text: string): ParsedLocalTime {
  const match = localTime.exec(text);
  if (match === null) return { ok: false, reason: faultOf(text) };
  const parsed = parseTime(`${text}${match.groups!["seconds"] === undefined ? ":00" : ""}Z`);
  return parsed.ok ? { ok: true, wallTime: parsed.time } : parsed;
}

/** Reads a date, or a date and time. */
export function parseException(text: string): ParsedException {
  if (!dateAlone.test(text)) {
    const parsed = parseLocalTime(text);
    if (parsed.ok || localTime.test(text)) return parsed;
    return { ok: false, reason: `${parsed.reason}; or a date such as 2026-12-24` };
  }
  const parsed = parseLocalTime(`${text}T00:00`);
  return parsed.ok ? { ok: true, day: parsed.wallTime / dayMs } : parsed;
}

function faultOf(text: string): string {
  if (dateAlone.test(text)) return `a date alone has no time of day: write it as ${shape}`;
  if (/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text)) {
    return `timeZone says which clocks show it, so it has no offset: write it as ${shape}`;
  }
  return `write it as ${shape}`;
}
