import type { Instant } from "../../domain/message.ts";

/** The three notations of RFC 9110, section 5.6.7. `Date.parse` alone accepts far more. */
const fixdate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const rfc850 = /^[A-Z][a-z]{5,8}, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d:\d\d:\d\d) GMT$/;
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** The delay that a `Retry-After` header asks for, counted from `now`. Null if it cannot be read. */
export function parseRetryAfter(
  value: string | readonly string[] | undefined,
  now: Instant,
): number | null {
  const text = (typeof value === "string" ? value : value?.[0])?.trim();
  if (text === undefined) return null;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  const at = parseHttpDate(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

function parseHttpDate(text: string): Instant {
  if (fixdate.test(text)) return Date.parse(text);
  if (asctime.test(text)) return Date.parse(`${text} GMT`);
  const [, day, month, year, time] = rfc850.exec(text) ?? [];
  return year === undefined ? Number.NaN : Date.parse(`${day} ${month} ${year} ${time} GMT`);
}
