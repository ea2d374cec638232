import type { Instant } from "../../domain/message.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { parseTime } from "../../domain/times.ts";

/** The instant a caller wrote; what is wrong with it is added to the problems. */
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

/** The span that a list was asked for; what is wrong with it is added to the problems. */
export function readTimeSpan(
  given: GivenTimeSpan,
  problems: Problem[],
): { readonly minTime: Instant | null; readonly maxTime: Instant | null } {
  const minTime = readGivenTime(given.minTime, "minTime", problems) ?? null;
  const maxTime = readGivenTime(given.maxTime, "maxTime", problems) ?? null;
  if (minTime !== null && maxTime !== null && minTime > maxTime) {
    problems.push({
      code: codes.invalidRequest,
      message: "minTime is later than maxTime. Exchange them, or leave one out.",
      field: "minTime",
    });
  }
  return { minTime, maxTime };
}
