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

/** Reads the time span of a list. Adds to `problems` if it is not valid. */
export function readTimeSpan(
  given: GivenTimeSpan,
  problems: Problem[],
): { readonly minTime: Instant | null; readonly maxTime: Instant | null } {
  const minTime = readGivenTime(given.minTime, "minTime", problems) ?? null;
  const maxTime = readGivenTime(given.maxTime, "maxTime", problems) ?? null;
  if (minTime !== null && maxTime !== null && minTime > maxTime) {
    problems.push({
      code: codes.invalidRequest,
      message: "minTime is later than maxTime. Swap them, or leave one out.",
      field: "minTime",
    });
  }
  return { minTime, maxTime };
}
