import type { Instant } from "../../domain/message.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { parseTime } from "../../domain/times.ts";

/** Reads a time that a caller wrote. Adds to `problems` if it cannot be read. */
export function readGivenTime(
  text: string | undefined,
  field: string,
  problems: Problem[],
): Instant | undefined {
  if (text === undefined) return undefined;
  const parsed = parseTime(text);
  if (parsed.ok) return parsed.time;
  problems.push({
    code: codes.invalidRequest,
    message: `${field} cannot be read: ${parsed.reason}.`,
    field,
  });
  return undefined;
}

export interface GivenTimeSpan {
  readonly minTime?: string | undefined;
  readonly maxTime?: string | undefined;
}

/** Reads a time span, whose fields may be `within` an object. Adds to `problems` if it is not valid. */
export function readTimeSpan(
  given: GivenTimeSpan,
  problems: Problem[],
  within = "",
): { readonly minTime: Instant | null; readonly maxTime: Instant | null } {
  const minTime = readGivenTime(given.minTime, `${within}minTime`, problems) ?? null;
  const maxTime = readGivenTime(given.maxTime, `${within}maxTime`, problems) ?? null;
  if (minTime !== null && maxTime !== null && minTime > maxTime) {
    problems.push({
      code: codes.invalidRequest,
      message: "minTime is later than maxTime. Swap them, or leave one out.",
      field: `${within}minTime`,
    });
  }
  return { minTime, maxTime };
}
