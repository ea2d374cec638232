import type { NewTime } from "@postdate/client";
import { readSpan } from "./span.ts";

/** Reads `2h`, or a time with its offset; undefined if the text is neither. */
export function readNewTime(text: string): NewTime | undefined {
  const trimmed = text.trim();
  const spanMs = readSpan(trimmed);
  if (spanMs !== undefined) return spanMs < 0 ? undefined : { in: spanMs };
  const isTime =
    /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(trimmed) && !Number.isNaN(Date.parse(trimmed));
  return isTime ? { at: trimmed } : undefined;
}
